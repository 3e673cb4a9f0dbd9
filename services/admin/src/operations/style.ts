import { style as common } from '../pages/style';

/** The operations pages' additions to the common style; colours have a contrast of at least 4.5. */
export const style = `${common}
:root{--warn:#7a4d00;--warn-ground:#fff3d6}
@media (prefers-color-scheme:dark){:root{--warn:#f2c66d;--warn-ground:#3a2c0c}}
main{max-width:80rem}
.menu{background:var(--paper);border-bottom:1px solid var(--line)}
.menu ul{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem .25rem;max-width:80rem;margin:0 auto;padding:.25rem .75rem}
.menu a{display:block;padding:.55rem .7rem;border-radius:.5rem;color:var(--soft);text-decoration:none;font-weight:600;font-size:.925rem}
.menu a:hover{color:var(--ink);background:var(--ground)}
.menu a[aria-current]{color:var(--accent);box-shadow:inset 0 -3px var(--accent);border-radius:.5rem .5rem 0 0}
.lead{color:var(--soft);max-width:46rem;margin:-.5rem 0 1.25rem}
.soft{color:var(--soft);font-size:.875rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em;overflow-wrap:anywhere}
pre{background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:0;max-height:32rem;overflow:auto;white-space:pre-wrap}
small{display:block;color:var(--soft);font-size:.85rem}
.tiles{list-style:none;display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:1rem;margin:0 0 1.25rem;padding:0}
.tile{background:var(--paper);border:1px solid var(--line);border-left:.35rem solid var(--good);border-radius:.75rem;padding:.9rem 1.1rem;box-shadow:var(--shadow);display:flex;flex-direction:column}
.tile.unwell{border-left-color:var(--bad)}
.figure{font-size:1.7rem;line-height:1.2;font-weight:680;font-variant-numeric:tabular-nums}
.tile span:last-child{color:var(--soft)}
.badge{display:inline-block;border-radius:1rem;padding:.05rem .65rem;font-size:.825rem;font-weight:650;white-space:nowrap}
.badge.plain{background:var(--ground);color:var(--soft)}
.badge.warn{background:var(--warn-ground);color:var(--warn)}
.wide th,.wide td{padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--line)}
.wide tbody tr:last-child>*{border-bottom:0}
.wide tbody th,.wide small{overflow-wrap:anywhere}.wide tbody th{font-weight:400}
.wide .number{text-align:right;font-variant-numeric:tabular-nums;padding-right:1.5rem}
.plain{list-style:none;margin:0;padding:0}
.messages{list-style:none;margin:0 0 1rem;padding:0}
.messages li{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;padding:.8rem 0;border-top:1px solid var(--line)}
.messages input{width:1.25rem;height:1.25rem;min-height:0;margin:.15rem 0 0;accent-color:var(--accent)}
.messages label{font-weight:400;overflow-wrap:anywhere}
.messages p{grid-column:2;margin:0}
.messages small{display:inline;margin-left:.4rem}
.reason{overflow-wrap:anywhere;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
.when{color:var(--soft);font-size:.875rem}
.when a{margin-left:.75rem}
button.danger{background:var(--bad);color:var(--paper)}
button.quiet.danger{background:none;color:var(--bad);border-color:var(--line)}
.session .quiet{min-height:2.25rem;padding:.25rem .8rem;font-size:.875rem}
.gap{flex:1}
.filter{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:end;margin:0 0 .25rem}
.filter .field{flex:0 1 16rem}.filter button{margin:0 0 1rem}
.chart{margin:0}.chart figcaption{color:var(--soft);font-size:.925rem;margin:0 0 .5rem}
.chart svg{display:block;width:100%;height:8.75rem}
.chart .grid{stroke:var(--line);stroke-dasharray:3 5}.chart .axis{stroke:var(--soft)}
.chart .area{fill:var(--accent);opacity:.14}
.chart polyline{fill:none;stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.chart .done{stroke:var(--accent)}.chart .failed{stroke:var(--bad)}
.scale{display:flex;justify-content:space-between;margin:.25rem 0 0;color:var(--soft);font-size:.8rem}
.pause{float:right;margin:-3.6rem 0 0;min-height:2.25rem;padding:.25rem .8rem;font-size:.875rem}
select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.5rem;padding:.55rem .7rem;width:100%;min-height:2.75rem}
h1,h2,.crumb{overflow-wrap:anywhere}
h3{font-size:.95rem;margin:1.1rem 0 .5rem}h1 code{font-size:.8em}
.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.card>dl{margin:0 0 1rem}
@media (max-width:52rem){
.columns{grid-template-columns:minmax(0,1fr)}
.wide thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.wide,.wide tbody,.wide tr{display:block}
.wide tr{padding:.6rem 0;border-bottom:1px solid var(--line)}.wide tbody tr:last-child{border-bottom:0}
.wide th,.wide td{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.75rem;padding:.2rem 0;border:0;overflow-wrap:anywhere}
.wide .number{text-align:left;padding-right:0}
.wide [data-head]::before{content:attr(data-head);color:var(--soft);font-size:.875rem}
}`;
