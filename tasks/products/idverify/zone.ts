import { findMrz, isValidMrz, type Mrz } from '../../formats/identity/mrz.ts'
import { readBirth, readCountry, readExpiry } from '../../formats/identity/mrz-values.ts'
import type { DocumentType } from '../../formats/identity/reasons.ts'
import type { ReadDocument } from './reader.ts'

/** What a typed machine readable zone says, also in small letters; undefined if it is none. */
export function readTypedZone(text: string, now: Date): ReadDocument | undefined {
  const lines = text.toUpperCase().split(/[\r\n]+/)
  const found = findMrz(lines.filter(line => line.trim() !== ''))
  if (!found) return undefined
  const { mrz } = found
  return {
    type: chooseType(mrz),
    issuingCountry: readCountry(mrz.issuer),
    ...{ number: mrz.documentNumber || null, firstName: mrz.firstName || null, lastName: mrz.lastName || null },
    ...{ dob: readBirth(mrz.birth, now) || null, expiry: readExpiry(mrz.expiry, now) || null },
    sex: mrz.sex === 'M' || mrz.sex === 'F' ? mrz.sex : 'X',
    ...{ mrzValid: isValidMrz(mrz), hasBarcode: false, mismatches: [] },
  }
}

function chooseType({ code }: Mrz): DocumentType {
  if (code.startsWith('P')) return 'passport'
  if (code.startsWith('V')) return 'visa'
  return /^[ACI]R/.test(code) ? 'residence_permit' : 'id_card'
}
