import type { TEMPLATES } from './input.ts'

/** Long descriptions may continue on the next page; the heads of the columns are repeated there. */
const SHARED = `
*{box-sizing:border-box}
body{font:10pt/1.45 "Noto Sans","DejaVu Sans",sans-serif;color:#222;margin:0}
h1{font-size:20pt;margin:0 0 8pt;line-height:1.15;overflow-wrap:anywhere}
h2,h3{font-size:8.5pt;margin:0 0 3pt;color:#666;text-transform:uppercase;letter-spacing:.04em}
p{margin:0 0 6pt;overflow-wrap:anywhere}
header{display:flex;justify-content:space-between;gap:12pt;margin-bottom:18pt}
.seller{margin-inline-start:auto;max-width:60%;text-align:end}
.logo{max-height:54pt;max-width:45%;object-fit:contain;align-self:flex-start}
.top{display:flex;justify-content:space-between;gap:24pt;margin-bottom:18pt}
.buyer,.facts{flex:1;min-width:0}
dl{margin:0}dl div{display:flex;gap:8pt}dt{color:#666;min-width:76pt}dd{margin:0;overflow-wrap:anywhere;min-width:0}
table{width:100%;border-collapse:collapse}
thead{display:table-header-group}
th{font-size:8.5pt;text-align:start;padding:5pt 6pt}
td{padding:5pt 6pt;vertical-align:top;border-bottom:.5pt solid #ddd;overflow-wrap:anywhere}
td:first-child{min-width:120pt}
.n{text-align:end;white-space:nowrap}
.totals{width:auto;min-width:45%;margin:10pt 0 14pt;margin-inline-start:auto;break-inside:avoid}
.totals th,.totals td{border:0;font-size:10pt;font-weight:normal}.totals td{text-align:end;white-space:nowrap}
.totals tr+tr>*{border-top:.5pt solid #ddd}
.totals .total *{font-weight:bold;font-size:11pt}
.reason{font-style:italic}
.end{display:flex;flex-wrap:wrap;gap:10pt 28pt}.end>*{break-inside:avoid;max-width:100%}
.code{display:block;margin-top:4pt}.code svg{width:80pt;height:80pt}
a{color:inherit}
`

const STYLES: Record<(typeof TEMPLATES)[number], string> = {
  classic:
    'h1{color:var(--c)}table:not(.totals) thead th{border-bottom:1.5pt solid var(--c);color:var(--c)}.totals .total *{border-top:1pt solid var(--c)}',
  modern:
    'header{border-bottom:5pt solid var(--c);padding-bottom:12pt}h1{color:var(--c);font-weight:300;font-size:26pt}' +
    'table:not(.totals) thead th{background:var(--c);color:var(--i)}table:not(.totals) tbody tr:nth-child(even) td{background:#f6f6f6}' +
    '.totals .total *{background:var(--c);color:var(--i)}',
  minimal:
    'h1{font-weight:500}td{border-bottom:none}.totals tr+tr>*{border-top:none}table:not(.totals) thead th{border-bottom:.5pt solid #222}.totals .total *{border-top:.5pt solid #222}strong{color:var(--c)}',
}

/** Text on the colour is white or black, whichever is easier to read. */
export function styleOf(template: (typeof TEMPLATES)[number], color: string): string {
  const [r, g, b] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
  const ink = 0.299 * r + 0.587 * g + 0.114 * b > 150 ? '#000' : '#fff'
  return `:root{--c:${color};--i:${ink}}${SHARED}${STYLES[template]}`.replaceAll('\n', '')
}
