/** A fault with its place in UTF-16 code units; one that only its author can mend has no replacement. */
export interface Edit {
  start: number
  end: number
  original: string
  replacement: string | null
  rule: string
  message: string
}
