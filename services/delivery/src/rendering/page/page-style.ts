/** The background of the header for retailers without a colour. */
export const defaultBrandColour = '#1d2433';

/**
 * The style of a receipt's page: like a pass in a wallet app. No pictures, fonts or scripts are loaded from elsewhere.
 */
export const pageStyle = `
:root{color-scheme:light dark;--paper:#fff;--ink:#14161a;--soft:#5a616e;--line:#e3e5ea;--ground:#eceef2;--accent:#1f4fd8;--good:#0f6b3c;--brand:${defaultBrandColour};--on-brand:#fff}
@media(prefers-color-scheme:dark){:root{--paper:#1c1e23;--ink:#f3f4f6;--soft:#a9b0bc;--line:#343841;--ground:#0b0c0e;--accent:#9db8ff;--good:#7fd6a4}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:29rem;margin:0 auto;padding:.75rem .75rem 2rem}
article{background:var(--paper);border-radius:1.25rem;overflow:hidden;box-shadow:0 1px 2px #00000014,0 10px 36px #0000001a}
header{padding:1.25rem 1.5rem 1.5rem;background:var(--brand);color:var(--on-brand)}
header p{margin:0}
header img{display:block;max-width:10rem;max-height:3.5rem;margin:0 0 .875rem;padding:.375rem;background:#fff;border-radius:.625rem;object-fit:contain}
h1{font-size:1.0625rem;font-weight:600;margin:0;letter-spacing:-.005em}
.amount{font-size:3rem;font-weight:700;line-height:1.1;letter-spacing:-.035em;padding:1rem 0 .25rem}
.amount.long{font-size:2rem}.amount.longer{font-size:1.25rem}
.badge{display:inline-block;margin-top:.75rem!important;padding:.125rem .75rem;border:1px solid currentColor;border-radius:1rem;font-size:.8125rem;font-weight:600}
.voided li,.voided .row{text-decoration:line-through}
.soft,dt{color:var(--soft)}
header .soft{color:inherit}
.small{font-size:.875rem}
p{margin:.125rem 0}
section{padding:1.125rem 1.5rem}
section+section{border-top:1px solid var(--line)}
h2{font-size:.8125rem;font-weight:600;margin:0 0 .5rem;color:var(--soft)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
ul{list-style:none;margin:0;padding:0}
li+li{margin-top:1rem}
.row{display:flex;gap:1rem;justify-content:space-between;align-items:baseline}
.row+.row{margin-top:.125rem}
section>p+.row{margin-top:.5rem}
.row>:first-child{min-width:0}
.row>:last-child{white-space:nowrap;text-align:end}
.name{font-weight:550}
.good{color:var(--good)}
.total{font-size:1.3125rem;font-weight:700;letter-spacing:-.015em;margin:.5rem 0 .375rem!important}
dl{margin:0;display:grid;grid-template-columns:auto 1fr;gap:.25rem 1.25rem;font-size:.875rem}
dd{margin:0;text-align:end}
.fiscal{margin:1rem auto 0;max-width:12rem}
.fiscal svg{display:block;width:100%;height:auto}
section.stub{position:relative;border-top:2px dashed var(--line);padding:1.5rem}
.stub::before,.stub::after{content:"";position:absolute;top:-.6875rem;width:1.25rem;height:1.25rem;border-radius:50%;background:var(--ground)}
.stub::before{inset-inline-start:-.625rem}
.stub::after{inset-inline-end:-.625rem}
figure{margin:0;text-align:center}
figure svg{display:block;width:10rem;height:10rem;margin:0 auto;background:#fff;border-radius:.75rem}
footer{padding:0 1.5rem 1.5rem;text-align:center}
nav{padding:1rem 0 0}nav.languages{padding:0 .5rem .5rem}nav.languages details{margin:0}nav p{margin:.75rem 0 0;text-align:center}
details{margin-top:.75rem}summary{cursor:pointer;font-size:.875rem}details ul{columns:8.5rem;padding:.5rem 0;font-size:.875rem}details li+li{margin:0}details li a{display:inline-block;padding:.25rem 0}
[aria-current]{font-weight:600}
a{color:var(--accent);text-underline-offset:.2em}
.button{display:block;width:100%;text-align:center;background:var(--ink);color:var(--paper);text-decoration:none;padding:.8125rem 1.5rem;border:0;border-radius:.875rem;font:inherit;font-weight:600;min-height:3rem;cursor:pointer}
.wallet{margin-top:.625rem;background:#000;color:#fff;border:1px solid #a6a6a6}
a:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
@media(min-width:40rem){main{padding:3rem 0}}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--ground:#fff;--brand:#fff;--on-brand:#000}main{max-width:none;padding:0}article{box-shadow:none;border-radius:0}nav,.stub::before,.stub::after{display:none}section,li{break-inside:avoid}}
`;

const shortHex = 2;
const linear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
/** WCAG 2: at this luminance, black and white have the same contrast with a colour, above 4.5 to 1. */
const middleLuminance = 0.179;

/** Black or white, whichever has more contrast with a colour. */
export function textColourOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(parseInt(colour.slice(at, at + shortHex), 16) / 255),
  );
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > middleLuminance ? '#000' : '#fff';
}

/** The retailer's colour as the background of the header. */
export function brandStyle(colour: string): string {
  return `@media screen{:root{--brand:${colour};--on-brand:${textColourOn(colour)}}}`;
}
