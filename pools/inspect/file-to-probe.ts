import type { ProbeKind } from '#kit'

export interface FileToProbe {
  path: string
  /** The type that was recognised from the content. */
  type: string
  sizeBytes: number
  probe: ProbeKind
  password?: string | null
  /** The position of the file in a list, for the problem. */
  index?: number
}
