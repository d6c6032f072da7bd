import type MarkdownItClass from 'markdown-it'

type MarkdownIt = InstanceType<typeof MarkdownItClass>
type Token = ReturnType<MarkdownIt['parse']>[number]

export interface TocEntry {
  level: number
  text: string
  id: string
}

/** Collects the headings in `toc` with unique ids, and writes the ids into the HTML if `writesIds` is set. */
export function addAnchors(markdown: MarkdownIt, toc: TocEntry[], writesIds: boolean): void {
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    const taken = new Map<string, number>()
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const text = extractText(tokens[index + 1]?.children ?? [])
      const id = reserveId(slugify(text), taken)
      toc.push({ level: Number(token.tag.slice(1)), text, id })
      if (writesIds) token.attrSet('id', id)
    }
  })
}

function extractText(children: readonly Token[]): string {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline' || type === 'emoji')
    .map(({ content }) => content)
    .join('')
    .trim()
}

/** The same as on code hosts: lower case, words joined by hyphens, no punctuation. */
function slugify(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  return slug === '' ? 'section' : slug
}

function reserveId(slug: string, taken: Map<string, number>): string {
  const times = taken.get(slug) ?? 0
  taken.set(slug, times + 1)
  return times === 0 ? slug : reserveId(`${slug}-${times}`, taken)
}

const CHECKBOX = /^\[([ xX])\](?:\s|$)/

/** `- [x]` becomes a disabled checkbox. */
export function addTaskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'task-lists', state => {
    for (const index of state.tokens.keys())
      addCheckbox(state.tokens, index, content => {
        const inline = new state.Token('html_inline', '', 0)
        inline.content = content
        return inline
      })
  })
}

function addCheckbox(tokens: readonly Token[], index: number, createInline: (content: string) => Token): void {
  const [item, paragraph, inline] = [tokens[index - 2], tokens[index - 1], tokens[index]]
  if (inline?.type !== 'inline' || paragraph?.type !== 'paragraph_open' || item?.type !== 'list_item_open') return
  const first = inline.children?.[0]
  const match = first?.type === 'text' ? CHECKBOX.exec(first.content) : null
  if (!first || !match) return
  first.content = first.content.slice(match[0].length)
  inline.children!.unshift(createInline(`<input type="checkbox" disabled${match[1] === ' ' ? '' : ' checked'}> `))
  item.attrJoin('class', 'task-list-item')
}
