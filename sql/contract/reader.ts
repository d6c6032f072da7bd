/** Who asks: an account by the id of a contract, or whoever has the link of a party. */
export type Reader = { accountId: string; contractId: string } | { tokenHash: Buffer; accountId: string | undefined }

export function toJson(reader: Reader): string {
  return 'tokenHash' in reader
    ? JSON.stringify({ token: toBytea(reader.tokenHash), account: reader.accountId })
    : JSON.stringify({ account: reader.accountId, contract: reader.contractId })
}

export function toBytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
