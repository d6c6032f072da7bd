import type { ReadDocument } from './reader.ts'

/** What tells one document from another. */
export function describeNumber({ issuingCountry, type, number }: ReadDocument): string {
  return `${issuingCountry} ${type} ${number}`
}

/** As the record of the verification has it. */
export function showDocument({ firstName, lastName, hasBarcode: _code, mismatches: _differ, ...shown }: ReadDocument) {
  return { ...shown, names: { first: firstName, last: lastName } }
}
