import type { FileContent } from '#kit'

/** A file to be packed into an archive. */
export interface ArchiveMember extends FileContent {
  name: string
  /** The content is already compressed, so it is stored uncompressed. */
  isStored: boolean
}
