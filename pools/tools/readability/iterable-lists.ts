import { createDocument } from '@mixmark-io/domino'

/** Readability iterates over lists of elements, which the lists of this DOM do not offer by themselves. */
const sample = createDocument('<p><b></b></p>', true) as unknown as Document
const lists = [
  sample.getElementsByTagName('b'),
  sample.querySelectorAll('b'),
  sample.body.childNodes,
  sample.body.children,
]
for (const list of lists) {
  const prototype = Object.getPrototypeOf(list) as object
  if (Symbol.iterator in list) continue
  Object.defineProperty(prototype, Symbol.iterator, { value: Array.prototype[Symbol.iterator], configurable: true })
}
