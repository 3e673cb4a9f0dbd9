/** The look of a receipt's page. No picture, font or script comes from anywhere else. */
export const pageStyle = `
:root{color-scheme:light dark;--paper:#fff;--ink:#16181d;--soft:#5c6370;--line:#e4e6ea;--ground:#f0f1f4;--accent:#1f4fd8;--on-accent:#fff;--good:#0f6b3c}
@media(prefers-color-scheme:dark){:root{--paper:#1b1e24;--ink:#f2f3f5;--soft:#a9b0bc;--line:#323741;--ground:#0f1115;--accent:#9db8ff;--on-accent:#0f1115;--good:#7fd6a4}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:30rem;margin:0 auto;padding:0 0 2rem}
article{background:var(--paper);overflow:hidden}
header{padding:2rem 1.5rem 1.25rem;text-align:center;border-top:.375rem solid var(--brand,var(--accent))}
header img{display:block;max-width:12rem;max-height:4rem;margin:0 auto 1rem;object-fit:contain}
h1{font-size:1.125rem;font-weight:650;margin:0;letter-spacing:-.01em;overflow-wrap:anywhere}
.amount{font-size:2.75rem;font-weight:700;line-height:1.15;letter-spacing:-.03em;margin:.5rem 0 .25rem;overflow-wrap:anywhere}
.soft,dt,figcaption{color:var(--soft)}
.small{font-size:.875rem}
p{margin:.25rem 0}
.badge{display:inline-block;margin-top:.75rem;padding:.125rem .75rem;border:1px solid currentColor;border-radius:1rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
section{padding:1.25rem 1.5rem;border-top:1px solid var(--line)}
h2{font-size:.8125rem;font-weight:600;margin:0 0 .75rem;color:var(--soft);letter-spacing:.01em}
ul{list-style:none;margin:0;padding:0}
li+li{margin-top:.875rem}
.row{display:flex;gap:1rem;justify-content:space-between;align-items:baseline}
.row>:first-child{overflow-wrap:anywhere;min-width:0}
.row>:last-child{white-space:nowrap;text-align:end}
.name{font-weight:550}
.good{color:var(--good)}
.total{font-size:1.25rem;font-weight:700;margin-top:.5rem}
dl{margin:0;display:grid;grid-template-columns:auto 1fr;gap:.25rem 1.25rem;font-size:.875rem}
dd{margin:0;text-align:end;overflow-wrap:anywhere}
figure{margin:0;text-align:center}
figure svg{display:block;width:9rem;height:9rem;margin:0 auto .5rem;background:#fff;border-radius:.5rem}
nav{padding:1.25rem 1.5rem 0;display:flex;gap:.75rem 1.5rem;flex-wrap:wrap;justify-content:center}
a{color:var(--accent);text-underline-offset:.2em}
a.button{background:var(--accent);color:var(--on-accent);text-decoration:none;padding:.75rem 1.5rem;border-radius:.625rem;font-weight:600;min-height:2.75rem}
a:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
footer{padding:1.25rem 1.5rem;text-align:center;border-top:1px solid var(--line)}
@media(min-width:40rem){main{padding:2.5rem 0}article{border-radius:1rem;box-shadow:0 1px 2px #0000000f,0 12px 40px #00000014}}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--ground:#fff}main{max-width:none;padding:0}article{box-shadow:none;border-radius:0}nav{display:none}section,li{break-inside:avoid}}
`;
