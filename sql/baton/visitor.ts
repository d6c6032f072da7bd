/** Who uses a baton: an account by the baton's id, or the holder of a token. Hashes are hexadecimal. */
export interface Visitor {
  baton?: string
  account?: string
  token?: string
  ip: string
  fingerprint?: string
  /** What was uploaded for it is taken over, or was not there. */
  isUploadTried?: boolean
}

export interface Quotas {
  egressBytesLeft: string
  readsLeft: number
  writesLeft: number
  sizeBytesLeft: string
  warnings: string[]
}
