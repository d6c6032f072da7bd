import type { ProbeKind } from '#kit'

export interface FileToProbe {
  path: string
  /** The type that was recognised from the content. */
  type: string
  sizeBytes: number
  probe: ProbeKind
  password?: string | null
  /** The field of the body, and the position of the file if it is a list, for the problem. */
  field?: string
  index?: number
}
