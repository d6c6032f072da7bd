import type MarkdownItClass from 'markdown-it'

type MarkdownIt = InstanceType<typeof MarkdownItClass>
type Token = ReturnType<MarkdownIt['parse']>[number]

export interface TocEntry {
  level: number
  text: string
  id: string
}

/** Gives every heading a name of its own, and notes it in `toc`. */
export function addAnchors(markdown: MarkdownIt, toc: TocEntry[], isWritten: boolean): void {
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    const taken = new Map<string, number>()
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const text = textOf(tokens[index + 1]?.children ?? [])
      const id = freeId(slugOf(text), taken)
      toc.push({ level: Number(token.tag.slice(1)), text, id })
      if (isWritten) token.attrSet('id', id)
    }
  })
}

function textOf(children: readonly Token[]): string {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline' || type === 'emoji')
    .map(({ content }) => content)
    .join('')
    .trim()
}

/** As code hosts make them: lower case, words joined by hyphens, punctuation gone. */
function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  return slug === '' ? 'section' : slug
}

function freeId(slug: string, taken: Map<string, number>): string {
  const times = taken.get(slug) ?? 0
  taken.set(slug, times + 1)
  return times === 0 ? slug : freeId(`${slug}-${times}`, taken)
}

const BOX = /^\[([ xX])\](?:\s|$)/

/** `- [x]` becomes a box that cannot be ticked. */
export function addTaskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'task-lists', state => {
    for (const index of state.tokens.keys())
      tickBox(state.tokens, index, content => {
        const box = new state.Token('html_inline', '', 0)
        box.content = content
        return box
      })
  })
}

function tickBox(tokens: readonly Token[], index: number, html: (content: string) => Token): void {
  const [item, paragraph, inline] = [tokens[index - 2], tokens[index - 1], tokens[index]]
  if (inline?.type !== 'inline' || paragraph?.type !== 'paragraph_open' || item?.type !== 'list_item_open') return
  const first = inline.children?.[0]
  const match = first?.type === 'text' ? BOX.exec(first.content) : null
  if (!first || !match) return
  first.content = first.content.slice(match[0].length)
  inline.children!.unshift(html(`<input type="checkbox" disabled${match[1] === ' ' ? '' : ' checked'}> `))
  item.attrJoin('class', 'task-list-item')
}
