/** Confirms that a signature existed at a time (RFC 3161). */
export interface TimestampAuthority {
  /** Returns the token for a SHA-256 digest, in DER. Throws PROVIDER_UNAVAILABLE. */
  stamp(digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}
