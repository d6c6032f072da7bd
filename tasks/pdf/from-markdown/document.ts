import { escapeText, wrapInDocument } from '../../formats/markup/markdown-page.ts'
import { STYLES } from './styles.ts'

const CONTENTS_LEVELS = 3

interface Heading {
  level: number
  text: string
  id: string
}

interface Rendered {
  html: string
  toc: readonly Heading[]
  frontMatter?: string | undefined
}

/** The page that is printed. */
export function buildDocument(
  { html, toc, frontMatter }: Rendered,
  { contents, css = '' }: { contents: boolean; css?: string },
): string {
  const list = contents ? writeContents(toc) : ''
  const title = readTitle(frontMatter) ?? toc[0]?.text ?? 'Document'
  return wrapInDocument(list + html, title, `${STYLES}\n${closeSafely(css)}`)
}

/** The title that front matter states, with or without quotes. */
function readTitle(frontMatter = ''): string | undefined {
  const [, stated] = /^title:[ \t]*(.+?)[ \t]*$/m.exec(frontMatter) ?? []
  return stated?.replace(/^(["'])(.*)\1$/, '$2') || undefined
}

function writeContents(toc: readonly Heading[]): string {
  const items = toc
    .filter(({ level }) => level <= CONTENTS_LEVELS)
    .map(({ level, text, id }) => {
      const link = `<a href="#${encodeURIComponent(id)}">${escapeText(text)}</a>`
      return `<li style="padding-left: ${(level - 1) * 1.5}em">${link}</li>`
    })
  return `<nav class="contents"><ul>\n${items.join('\n')}\n</ul></nav>\n`
}

/** Styles cannot end the element in which they stand. */
function closeSafely(css: string): string {
  return css.replaceAll(/<\/(?=style)/gi, '<\\/')
}
