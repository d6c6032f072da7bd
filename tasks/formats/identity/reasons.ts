export const REASON_CODES = [
  ...(['DOC_EXPIRED', 'DOC_UNREADABLE', 'DOC_TYPE_NOT_ALLOWED', 'COUNTRY_NOT_ALLOWED', 'MRZ_CHECKDIGIT'] as const),
  ...(['MRZ_SPECIMEN', 'DATA_MISMATCH', 'UNDERAGE', 'IMAGE_BLURRY', 'IMAGE_GLARE', 'IMAGE_SCREEN_CAPTURE'] as const),
  ...(['FACE_MISMATCH', 'LIVENESS_FAILED', 'DUPLICATE_DOCUMENT', 'AML_HIT', 'REVIEWER_DECLINED'] as const),
]

export type ReasonCode = (typeof REASON_CODES)[number]

export const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_licence', 'residence_permit', 'visa'] as const

export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export const CHECK_RESULTS = ['pass', 'fail', 'review', 'skipped'] as const

/** One check of a verification, as its owner and the reviewer see it. */
export interface Check {
  name: string
  result: (typeof CHECK_RESULTS)[number]
  detail: string | null
}

/** A check with the code that it adds to the reasons. */
export interface Finding extends Check {
  reason?: ReasonCode
}
