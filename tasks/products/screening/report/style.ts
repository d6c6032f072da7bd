/** Columns of tables have the widths that html.ts gives them, so that only a word that is longer than its column is broken. */
export const STYLE = `
*{box-sizing:border-box}
body{font:9.5pt/1.45 "Noto Sans","DejaVu Sans",sans-serif;color:#222;margin:0}
h1{font-size:18pt;margin:0}h2{font-size:11pt;margin:14pt 0 4pt}h3{font-size:10.5pt;margin:0 0 4pt}
.name{font-size:13pt;margin:2pt 0 8pt;overflow-wrap:anywhere}
.status{padding:6pt 8pt;border-left:4pt solid #666;background:#f2f2f2;font-weight:bold}
.status.clear{border-color:#1a7f37}.status.review{border-color:#9a6700}.status.match{border-color:#b42318}
span{color:#555;font-weight:normal;font-size:8.5pt}
dl{margin:0}dl div{display:flex;gap:8pt}dt{color:#555;min-width:96pt}dd{margin:0;overflow-wrap:anywhere;min-width:0}
table{width:100%;table-layout:fixed;border-collapse:collapse;margin-top:4pt}thead{display:table-header-group}
th{font-size:8.5pt;text-align:start;padding:3pt 5pt}
td{padding:3pt 5pt;vertical-align:top;border-bottom:.5pt solid #ddd;overflow-wrap:break-word}
.n{text-align:end;white-space:nowrap}.missing td{color:#b42318}
article{border:.5pt solid #bbb;padding:8pt;margin:0 0 8pt}tr,dl div{break-inside:avoid}
.notice{margin-top:12pt;font-size:8.5pt;color:#444}
`
