import type MarkdownItClass from 'markdown-it'
import type { Delimiter, StateInline, Token } from 'markdown-it'

type MarkdownIt = InstanceType<typeof MarkdownItClass>

const TILDE = 0x7e
/** Of one tilde and of two: each pairs with its like alone. No character has these numbers. */
const MARKERS = [-1, -2]

/** GFM strikes out what is between one or two tildes, and makes nothing of more. */
export function strikeByTildes(markdown: MarkdownIt): void {
  markdown.inline.ruler.at('strikethrough', readTildes)
  markdown.inline.ruler2.at('strikethrough', strikePairs)
  // Text that is struck out was deleted, as GitHub writes it.
  markdown.renderer.rules.s_open = () => '<del>'
  markdown.renderer.rules.s_close = () => '</del>'
}

function readTildes(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false
  const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true)
  state.push('text', '', 0).content = '~'.repeat(length)
  const marker = MARKERS[length - 1]
  if (marker !== undefined)
    state.delimiters.push({ marker, length: 0, token: state.tokens.length - 1, end: -1, open, close })
  state.pos += length
  return true
}

function strikePairs(state: StateInline): boolean {
  const nested = state.tokens_meta.map(meta => meta?.delimiters ?? [])
  for (const delimiters of [state.delimiters, ...nested]) strike(state.tokens, delimiters)
  return true
}

/** The pairs are known by now. */
function strike(tokens: readonly Token[], delimiters: readonly Delimiter[]): void {
  for (const { marker, end, token } of delimiters) {
    if (!MARKERS.includes(marker) || end === -1) continue
    Object.assign(tokens[token]!, { type: 's_open', tag: 's', nesting: 1, content: '' })
    Object.assign(tokens[delimiters[end]!.token]!, { type: 's_close', tag: 's', nesting: -1, content: '' })
  }
}
