import type { IdentityDocument, IdentityDocumentField } from '@aws-sdk/client-textract'
import type { HostedIdentity, HostedIdField } from '../../../tasks/formats/document/hosted.ts'
import { toShare } from './textract-blocks.ts'

const FIELDS: Record<string, HostedIdField> = {
  LAST_NAME: 'lastName',
  FIRST_NAME: 'firstName',
  MIDDLE_NAME: 'middleName',
  DOCUMENT_NUMBER: 'documentNumber',
  DATE_OF_BIRTH: 'dateOfBirth',
  DATE_OF_ISSUE: 'dateOfIssue',
  EXPIRATION_DATE: 'dateOfExpiry',
  ADDRESS: 'address',
}

/** What AnalyzeID found; it reads passports and licences of the United States. */
export function readIdentity({ IdentityDocumentFields = [] }: IdentityDocument): HostedIdentity {
  const kind = IdentityDocumentFields.find(({ Type }) => Type?.Text === 'ID_TYPE')?.ValueDetection?.Text ?? ''
  const fields = Object.fromEntries(IdentityDocumentFields.flatMap(readField))
  return {
    ...(/PASSPORT/i.test(kind) && { documentType: 'passport' }),
    ...(/DRIVER/i.test(kind) && { documentType: 'driving-licence' }),
    ...(kind !== '' && { issuingCountry: 'USA' }),
    fields,
  }
}

function readField({ Type, ValueDetection }: IdentityDocumentField) {
  const name = FIELDS[Type?.Text ?? '']
  const { Text: raw = '', NormalizedValue, Confidence } = ValueDetection ?? {}
  if (!name || raw === '') return []
  const value = name.startsWith('date') ? NormalizedValue?.Value?.slice(0, 10) : raw
  return value ? [[name, { value, raw, confidence: toShare(Confidence), source: 'model' as const }]] : []
}
