/** A file to be packed into an archive. */
export interface ArchiveMember {
  path: string
  name: string
  /** The content is already compressed, so it is stored uncompressed. */
  isStored: boolean
}
