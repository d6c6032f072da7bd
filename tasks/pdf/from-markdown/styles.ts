/** How Markdown looks when it is printed: like a plain report, whose tables, code and pictures stay on their pages. */
export const STYLES = `
body { font: 11pt/1.5 sans-serif; color: #1c1f23; margin: 0; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.4em 0 0.5em; break-after: avoid; }
h1 { font-size: 1.9em; } h2 { font-size: 1.45em; } h3 { font-size: 1.2em; } h4, h5, h6 { font-size: 1em; }
h1, h2 { border-bottom: 1px solid #d6dade; padding-bottom: 0.2em; }
body > :first-child { margin-top: 0; }
p, ul, ol, blockquote, pre, table { margin: 0 0 0.8em; }
p, li { orphans: 2; widows: 2; overflow-wrap: break-word; }
li.task-list-item, li:has(> input[type="checkbox"]) { list-style: none; }
li > input[type="checkbox"] { margin: 0 0.4em 0 -1.4em; }
a { color: #0b57d0; text-decoration: none; overflow-wrap: anywhere; }
code, pre { font-family: monospace; font-size: 0.88em; }
code { background: #f1f3f5; border-radius: 3px; padding: 0.1em 0.3em; }
pre { background: #f6f8fa; border: 1px solid #e3e6ea; border-radius: 4px; padding: 0.7em 0.9em; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { background: none; padding: 0; font-size: 1em; }
blockquote { border-left: 3px solid #c9ced4; color: #4c545d; padding: 0 0 0 1em; }
table { border-collapse: collapse; max-width: 100%; }
th, td { border: 1px solid #c9ced4; padding: 0.3em 0.6em; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { background: #f1f3f5; } thead { display: table-header-group; }
tr, img, figure { break-inside: avoid; }
img { max-width: 100%; }
hr { border: 0; border-top: 1px solid #c9ced4; margin: 1.5em 0; }
nav.contents { break-after: page; } nav.contents ul { list-style: none; padding-left: 0; } nav.contents li { margin: 0.2em 0; }
.hljs-comment, .hljs-quote { color: #6a737d; } .hljs-keyword, .hljs-selector-tag, .hljs-meta { color: #a626a4; }
.hljs-string, .hljs-regexp, .hljs-addition { color: #22863a; } .hljs-number, .hljs-literal, .hljs-type { color: #986801; }
.hljs-title, .hljs-section, .hljs-name { color: #0550ae; } .hljs-attr, .hljs-attribute, .hljs-variable { color: #b3541e; }
.hljs-deletion { color: #b31d28; }
`.trim()
