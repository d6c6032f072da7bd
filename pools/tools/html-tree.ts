import { createDocument, type DominoDocument } from '@mixmark-io/domino'
import { Parser } from 'htmlparser2'
import { Problem } from '#kit'

const MOST_DEPTH = 1000
const MOST_ELEMENTS = 500_000

/** Counts before a tree is built: what walks trees by recursion must not be given a bottomless one. */
export function checkHtml(html: string): void {
  let [depth, elements] = [0, 0]
  const parser = new Parser({
    onopentag: () => {
      depth++
      elements++
      if (depth > MOST_DEPTH) throw new Problem('HTML_PARSE_FAILED', { detail: `nested deeper than ${MOST_DEPTH}` })
      if (elements > MOST_ELEMENTS)
        throw new Problem('HTML_PARSE_FAILED', { detail: `more than ${MOST_ELEMENTS} elements` })
    },
    onclosetag: () => {
      depth--
    },
  })
  parser.end(html)
}

/** As a browser builds it, without running or fetching anything. */
export function treeOf(html: string): DominoDocument {
  checkHtml(html)
  return createDocument(html, true)
}
