/** Colours have a contrast of at least 4.5, in light and in dark mode. */
export const style = `
:root{color-scheme:light dark;
--ink:#1b2330;--soft:#566172;--paper:#fff;--ground:#f3f5f8;--line:#d9dee6;--accent:#1f5fbf;--on-accent:#fff;
--good:#0f6b3a;--good-ground:#e6f5ec;--bad:#a3231c;--bad-ground:#fdecea;--shadow:0 1px 2px #0f172a14,0 6px 24px #0f172a0d}
@media (prefers-color-scheme:dark){:root{
--ink:#e8ecf2;--soft:#a6b1c2;--paper:#1b222d;--ground:#12171f;--line:#313b4a;--accent:#8ab6ff;--on-accent:#0d1625;
--good:#7fdba6;--good-ground:#12301f;--bad:#ffaba4;--bad-ground:#3b1715;--shadow:none}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
main:focus{outline:none}
.skip{position:absolute;left:-100rem;padding:.75rem 1rem;background:var(--paper);z-index:1}
.skip:focus{left:.5rem;top:.5rem}
.bar{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:center;justify-content:space-between;padding:.75rem 1.25rem;background:var(--paper);border-bottom:1px solid var(--line)}
.brand{margin:0;font-weight:650;font-size:1.1rem}.brand a{color:inherit;text-decoration:none}
.session{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:0;color:var(--soft);font-size:.925rem}
.who{overflow-wrap:anywhere}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:.25rem 0 1rem}h2{font-size:1.1rem;margin:0 0 .75rem}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;box-shadow:var(--shadow);margin:0 0 1.25rem}
.narrow{max-width:26rem;margin:8vh auto 0}
.field{display:flex;flex-direction:column;gap:.25rem;margin:0 0 1rem;min-width:0}
label{font-weight:600;font-size:.925rem}
input{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.5rem;padding:.55rem .7rem;width:100%;min-height:2.75rem}
.hint{margin:0;color:var(--soft);font-size:.875rem}
button,.button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1.1rem;border:1px solid transparent;border-radius:.5rem;background:var(--accent);color:var(--on-accent);cursor:pointer;text-decoration:none;display:inline-flex;align-items:center}
button.quiet,.button.quiet{background:none;color:var(--accent);border-color:var(--line)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.finder{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:0 1rem}
details>summary{cursor:pointer;font-weight:600;color:var(--accent);padding:.25rem 0;margin:.5rem 0}
.notice{border-radius:.5rem;padding:.75rem 1rem;margin:0 0 1.25rem;font-weight:600}
.good{background:var(--good-ground);color:var(--good)}.bad{background:var(--bad-ground);color:var(--bad)}
.tag{display:inline-block;border:1px solid var(--line);border-radius:1rem;padding:0 .6rem;font-size:.825rem;color:var(--soft)}
.results{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}
.results a{display:grid;grid-template-columns:1fr auto;gap:.1rem 1rem;padding:.8rem 1rem;background:var(--paper);border:1px solid var(--line);border-radius:.6rem;color:inherit;text-decoration:none}
.results a:hover{border-color:var(--accent)}
.results strong{overflow-wrap:anywhere}.results .sum{font-weight:650;font-variant-numeric:tabular-nums;text-align:right}
.results small{color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}.results .right{text-align:right}
.pages{display:flex;gap:.75rem;justify-content:space-between;margin-top:1.25rem}
.columns{display:grid;grid-template-columns:minmax(0,26rem) minmax(0,1fr);gap:1.25rem;align-items:start}
@media (max-width:52rem){.columns{grid-template-columns:minmax(0,1fr)}}
.paper{font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.paper .head{text-align:center;border-bottom:2px dashed var(--line);padding-bottom:1rem;margin-bottom:1rem}
.paper .head p{margin:0;color:var(--soft)}.paper .head .shop{font-size:1.15rem;font-weight:650;color:var(--ink)}
table{border-collapse:collapse;width:100%}
caption{text-align:left;font-weight:650;padding-bottom:.5rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;font-weight:400}
thead th{color:var(--soft);font-size:.875rem;border-bottom:1px solid var(--line)}
td.sum,th.sum{text-align:right;padding-right:0;white-space:nowrap}
td small{display:block;color:var(--soft)}
.paper tfoot tr:first-child>*{border-top:2px dashed var(--line);padding-top:.75rem}
.paper .total>*{font-weight:700;font-size:1.15rem}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.35rem 1rem;margin:0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
.crumb{margin:0 0 .5rem}
.empty{color:var(--soft);margin:0}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`.trim();
