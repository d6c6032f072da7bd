import { createDocument, type DominoDocument } from '@mixmark-io/domino'
import { Parser } from 'htmlparser2'
import { Problem } from '#kit'

const MAX_DEPTH = 1000
const MAX_ELEMENTS = 500_000

/** Checks depth and size before a tree is built, because recursive code overflows the stack on very deep trees. */
export function checkHtmlLimits(html: string): void {
  let [depth, elements] = [0, 0]
  const parser = new Parser({
    onopentag: () => {
      depth++
      elements++
      if (depth > MAX_DEPTH) throw new Problem('HTML_PARSE_FAILED', { detail: `nested deeper than ${MAX_DEPTH}` })
      if (elements > MAX_ELEMENTS)
        throw new Problem('HTML_PARSE_FAILED', { detail: `more than ${MAX_ELEMENTS} elements` })
    },
    onclosetag: () => {
      depth--
    },
  })
  parser.end(html)
}

/** Builds the tree as a browser does, without running scripts or fetching anything. */
export function parseHtml(html: string): DominoDocument {
  checkHtmlLimits(html)
  return createDocument(html, true)
}
