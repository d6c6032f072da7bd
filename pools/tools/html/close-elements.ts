import { createDocument, type DominoElement } from '@mixmark-io/domino'
import { Parser } from 'htmlparser2'

/** Tags of deeper elements are left out; browsers join them to those above, too, below 512. */
const MAX_DEPTH = 200
/** The reader knows where these end, and those without content are never closed. It reads no table whose cells stay open. */
const MAY_STAY_OPEN = new Set([
  ...['html', 'head', 'body', 'p', 'li', 'dt', 'dd', 'rt', 'rp', 'option', 'optgroup'],
  ...['area', 'base', 'basefont', 'br', 'col', 'command', 'embed', 'frame', 'hr', 'image', 'img', 'input', 'isindex'],
  ...['keygen', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
])
/** What is in them is no markup, so their tags stay. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])

/**
 * Closes all elements, as a browser does, where some stay open or are very deep. Readers that look for the end of an
 * element and try something else without one take twice as long for each element around it.
 */
export function closeElements(html: string): string {
  const { isClosed, deepTags } = scanTags(html)
  if (isClosed && deepTags.length === 0) return html
  const document = createDocument(cutOut(html, deepTags), true)
  for (const body of Array.from(document.querySelectorAll('tbody:only-child'))) unwrapRows(body)
  return document.querySelector('html')!.outerHTML
}

/** The parser puts rows into a body, in which the reader would take a first row of headings for an ordinary one. */
function unwrapRows(body: DominoElement): void {
  if (body.attributes.length > 0 || !body.parentNode) return
  while (body.firstChild) body.parentNode.appendChild(body.firstChild)
  body.remove()
}

type Span = readonly [start: number, end: number]

function scanTags(html: string): { isClosed: boolean; deepTags: Span[] } {
  let depth = 0
  let isClosed = true
  const deepTags: Span[] = []
  const noteTag = (name: string) => {
    if (depth > MAX_DEPTH && !RAW_TEXT.has(name)) deepTags.push([parser.startIndex, parser.endIndex + 1])
  }
  const handler = {
    onopentag(name: string) {
      depth += 1
      noteTag(name)
    },
    onclosetag(name: string, isImplied: boolean) {
      if (!isImplied) noteTag(name)
      else if (!MAY_STAY_OPEN.has(name)) isClosed = false
      depth -= 1
    },
  }
  const parser = new Parser(handler, { recognizeSelfClosing: true })
  parser.end(html)
  return { isClosed, deepTags }
}

/** The spans are in their order. A tree that deep overflows the stack, so the tags are taken out of the text. */
function cutOut(text: string, spans: readonly Span[]): string {
  let at = 0
  const kept = spans.map(([start, end]) => {
    const before = text.slice(at, start)
    at = Math.max(at, end)
    return before
  })
  return kept.join('') + text.slice(at)
}
