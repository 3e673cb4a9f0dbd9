const light =
  '--ink:#1d2433;--soft:#5b6478;--line:#e3e7ef;--paper:#fff;--tint:#f6f8fb;--accent:#2f5bea;--get:#1a7f4b;--post:#2f5bea;--put:#9a6700;--patch:#7a3ff0;--delete:#c0352b;color-scheme:light';
const dark =
  '--ink:#e6e9f0;--soft:#9aa4b8;--line:#2a3142;--paper:#12161f;--tint:#1a202c;--accent:#8aa6ff;--get:#4fc487;--post:#8aa6ff;--put:#e0b050;--patch:#b794ff;--delete:#ff8a80;color-scheme:dark';

/** The look of the documentation pages. It needs no font and no image. */
export const pageStyle = `
:root{${light}}
@media(prefers-color-scheme:dark){:root{${dark}}}
:root[data-theme=light]{${light}}:root[data-theme=dark]{${dark}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--paper)}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
code,pre,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em}
code{background:var(--tint);border:1px solid var(--line);border-radius:4px;padding:.05em .35em}
pre{background:var(--tint);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;overflow:auto;max-height:28rem;margin:.5rem 0}
.layout{display:grid;grid-template-columns:19rem minmax(0,1fr);max-width:90rem;margin:0 auto}
nav{position:sticky;top:0;height:100vh;overflow:auto;border-right:1px solid var(--line);padding:1.5rem 1rem;font-size:.87rem}
nav h2{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.2rem 0 .3rem}
nav a{display:flex;gap:.5rem;align-items:baseline;padding:.16rem .3rem;border-radius:5px;color:var(--ink);overflow-wrap:anywhere}
nav a:hover{background:var(--tint);text-decoration:none}nav .verb{min-width:3.4rem;text-align:center}
main{padding:2rem clamp(1rem,4vw,3.5rem) 6rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem}h2{font-size:1.3rem;margin:3rem 0 .6rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h4{font-size:.78rem;letter-spacing:.05em;text-transform:uppercase;color:var(--soft);margin:1.1rem 0 .3rem}
.lead{max-width:48rem;color:var(--soft)}
.verb{display:inline-block;font:600 .68rem/1.6 ui-monospace,monospace;padding:0 .45rem;border-radius:4px;border:1px solid currentColor}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}.event{color:var(--patch)}
.card{border:1px solid var(--line);border-radius:10px;margin:.7rem 0;background:var(--paper)}
.card>summary{display:flex;gap:.75rem;align-items:center;padding:.65rem 1rem;cursor:pointer;list-style:none;flex-wrap:wrap}
.card>summary::-webkit-details-marker{display:none}.card>summary:hover{background:var(--tint);border-radius:10px}
.card>summary .what{color:var(--soft);margin-left:auto}.card[open]>summary{border-bottom:1px solid var(--line)}
.body{padding:.4rem 1.2rem 1.2rem}.body p{max-width:50rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}td{padding:.35rem .6rem .35rem 0;border-top:1px solid var(--line);vertical-align:top}
td:first-child{width:15rem;overflow-wrap:anywhere}td.type{width:12rem;color:var(--soft)}
.need{color:var(--delete);font-size:.75rem;margin-left:.4rem}.soft{color:var(--soft)}
.fields{list-style:none;margin:0;padding-left:.9rem;border-left:2px solid var(--line)}.fields>li{padding:.18rem 0}
.fields summary{cursor:pointer}.status{font-weight:600}.s2{color:var(--get)}.s4{color:var(--put)}.s5{color:var(--delete)}
input,textarea,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.35rem .55rem;max-width:100%}
input:focus-visible,textarea:focus-visible,button:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
button{cursor:pointer;background:var(--tint)}#find{width:100%}[hidden]{display:none!important}
.try .inputs{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.5rem .9rem}
.try label{display:block;margin:.3rem 0}.try label>span{display:block;font-size:.8rem;color:var(--soft)}.try input,.try textarea{width:100%}
.try textarea{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.85em}.try output{display:block;white-space:pre-wrap;overflow-wrap:anywhere;font:.85em/1.5 ui-monospace,Menlo,Consolas,monospace}
.try .curl{white-space:pre-wrap;overflow-wrap:anywhere}.token{display:flex;gap:.6rem;align-items:center}.token input{flex:1;max-width:34rem}
main.plain{max-width:56rem;margin:0 auto}
@media(max-width:60rem){.layout{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}td:first-child,td.type{width:auto}}
`;
