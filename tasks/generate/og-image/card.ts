import { Problem } from '#kit'
import type { Rgba } from '../../formats/raster/png-svg.ts'
import { embedImage, escapeXml, toHex } from '../../formats/svg/drawing.ts'
import { renderTree } from './tree.ts'

export const TEMPLATES = ['article', 'product', 'quote', 'event', 'code', 'stat', 'custom'] as const
export const FONTS = ['sans', 'serif', 'mono'] as const

interface Look {
  theme: 'light' | 'dark'
  font: (typeof FONTS)[number]
}

interface Card extends Look {
  template: Exclude<(typeof TEMPLATES)[number], 'custom'>
  title: string
  subtitle?: string
  label?: string
  author?: string
}

const FAMILIES: Record<Card['font'], string> = {
  sans: '"Noto Sans","DejaVu Sans","Noto Color Emoji",sans-serif',
  serif: '"Noto Serif","DejaVu Serif","Noto Color Emoji",serif',
  mono: '"Noto Sans Mono","DejaVu Sans Mono","Noto Color Emoji",monospace',
}
const THEMES = {
  light: { bg: '#ffffff', fg: '#16191d', accent: '#1f6feb' },
  dark: { bg: '#16191d', fg: '#f2f4f7', accent: '#58a6ff' },
}

/** Sizes are in hundredths of the shorter side, so that a card looks alike in every size. */
const STYLE = `
*{box-sizing:border-box;margin:0}
body{width:100vw;height:100vh;overflow:hidden;background:var(--bg);color:var(--fg);font-family:var(--family)}
.card{position:relative;width:100%;height:100%;display:flex;overflow:hidden}
.behind{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}
.shade{position:absolute;inset:0;background:var(--bg);opacity:.72}
.text{position:relative;flex:1;min-width:0;display:flex;flex-direction:column;justify-content:center;gap:3vmin;padding:8vmin;overflow:hidden}
.side{width:42%;object-fit:cover;height:100%}
.label{align-self:flex-start;max-width:100%;background:var(--accent);color:var(--ink);border-radius:2vmin;padding:1vmin 2.6vmin;font-size:4vmin;font-weight:bold;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;flex-shrink:0}
.title{font-weight:bold;line-height:1.22;overflow-wrap:anywhere;flex-shrink:0}
.subtitle{font-size:4.8vmin;line-height:1.4;opacity:.85;overflow-wrap:anywhere;flex-shrink:0}
.author{display:flex;align-items:center;gap:2.4vmin;font-size:4.2vmin;flex-shrink:0}
.author span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.avatar{width:10vmin;height:10vmin;border-radius:50%;object-fit:cover;flex-shrink:0}
.logo{max-height:9vmin;max-width:40%;object-fit:contain;align-self:flex-start;flex-shrink:0}
.clamped{display:-webkit-box;-webkit-box-orient:vertical;overflow:hidden}
.text[dir=rtl]{text-align:right}
.article .text{border-inline-start:2vmin solid var(--accent)}
.event .text{border-block-start:3vmin solid var(--accent)}
.quote .text{align-items:center;text-align:center}
.quote .title{font-style:italic;font-weight:500}
.quote .title::before{content:"“"}.quote .title::after{content:"”"}
.quote .label,.stat .label,.quote .logo,.stat .logo{align-self:center}
.stat .text{align-items:center;text-align:center}
.stat .title{color:var(--accent)}
.custom{font-family:var(--family);display:flex}
.custom>*{width:100%;height:100%}
.custom div{display:flex;min-width:0}
.code .subtitle{font-family:"Noto Sans Mono","DejaVu Sans Mono","Noto Color Emoji",monospace;font-size:3.4vmin;white-space:pre-wrap;background:#0d1117;color:#e6edf3;border-radius:2vmin;border:3vmin solid #0d1117;opacity:1;line-height:1.5;text-align:left}
`

/** Makes the title smaller until it has few lines and everything fits, then cuts what is still too long. */
const FIT = `
const text=document.querySelector('.text'),title=document.querySelector('.title'),sub=document.querySelector('.subtitle');
const rows=e=>Math.round(e.clientHeight/parseFloat(getComputedStyle(e).lineHeight));
const unit=Math.min(innerWidth,innerHeight)/100,over=()=>text.scrollHeight>text.clientHeight+1;
const clamp=(e,n)=>{e.classList.add('clamped');e.style.webkitLineClamp=n};
if(sub&&rows(sub)>LINES)clamp(sub,LINES);
let size=MAX*unit;const set=()=>{title.style.fontSize=size+'px'};set();
while(size>MIN*unit&&(rows(title)>3||title.scrollWidth>title.clientWidth+1||over())){size*=.95;set()}
if(rows(title)>3)clamp(title,3);
if(sub)for(let n=rows(sub)-1;n>0&&over();n--)clamp(sub,n)
`

type Colors = Partial<Record<'bg' | 'fg' | 'accent', Rgba>>
type Art = Partial<Record<'logo' | 'avatar' | 'image', Uint8Array>>

const LARGEST: Record<Card['template'], number> = { article: 13, product: 11, quote: 11, event: 13, code: 8, stat: 34 }

type CardInput = Look & Partial<Omit<Card, 'template'>> & { template: (typeof TEMPLATES)[number]; custom?: unknown }

/** Writes a card as a page of HTML. The colours of the theme are its variables --bg, --fg and --accent. */
export function renderCard({ template, title, custom, ...input }: CardInput, given: Colors, art: Art): string {
  if (template === 'custom') {
    if (custom === undefined) throw new Problem('MISSING_FIELD', { field: 'custom' })
    const unused = Object.entries({ title, ...readTexts(input) }).find(([, text]) => text !== undefined)
    if (unused) throw new Problem('CONFLICTING_OPTIONS', { fields: ['custom', unused[0]] })
    return `${renderHead(input, given)}<body class="custom">${renderTree(custom, art)}`
  }
  if (custom !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: ['custom', 'template'] })
  if (title === undefined) throw new Problem('MISSING_FIELD', { field: 'title' })
  return renderHead(input, given) + renderBody({ ...input, template, title }, art)
}

const readTexts = ({ subtitle, label, author }: Partial<Card>) => ({ subtitle, label, author })

/** The body of a card that fits itself to its size. */
function renderBody(card: Card, art: Art): string {
  const { template, title, subtitle, label, author } = card
  const image = (name: keyof Art, kind: string) =>
    art[name] ? `<img class="${kind}" src="${embedImage('image/png', art[name])}" alt="">` : ''
  const isBeside = template === 'product'
  const behind = art.image && !isBeside ? `${image('image', 'behind')}<div class="shade"></div>` : ''
  const line = (kind: string, text: string | undefined) =>
    text === undefined ? '' : `<div class="${kind}" dir="auto">${escapeXml(text)}</div>`
  const name = author === undefined ? '' : `<span dir="auto">${escapeXml(author)}</span>`
  const by = name || art.avatar ? `<div class="author">${image('avatar', 'avatar')}${name}</div>` : ''
  const parts = [image('logo', 'logo'), line('label', label), line('title', title), line('subtitle', subtitle), by]
  const fit = FIT.replace('MAX', String(LARGEST[template]))
    .replace('MIN', '4.5')
    .replaceAll('LINES', template === 'code' ? '14' : '4')
  return `<body class="${template}"><div class="card">${behind}<div class="text" dir="${findDirection(title)}">${parts.join('')}</div>${isBeside ? image('image', 'side') : ''}</div><script>${fit}</script>`
}

function renderHead({ theme, font }: Look, given: Colors): string {
  const pick = (name: keyof Colors) => (given[name] ? toHex(given[name]) : THEMES[theme][name])
  const colors = { bg: pick('bg'), fg: pick('fg'), accent: pick('accent') }
  const variables = `--bg:${colors.bg};--fg:${colors.fg};--accent:${colors.accent};--ink:${inkOn(colors.accent)};--family:${FAMILIES[font]}`
  return `<!doctype html><meta charset="utf-8"><style>:root{${variables}}${STYLE}</style>`
}

/** A card is laid out in the direction of its title, which that of the first letter decides. */
function findDirection(title: string): 'ltr' | 'rtl' {
  return /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(title)
    ? 'rtl'
    : 'ltr'
}

/** White or black, whichever is easier to read on a colour. */
function inkOn(color: string): string {
  const [r, g, b] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
  return 0.299 * r + 0.587 * g + 0.114 * b > 150 ? '#000000' : '#ffffff'
}
