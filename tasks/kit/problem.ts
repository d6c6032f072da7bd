/**
 * Every expected failure there is: its code, its status and the sentence a caller reads. 422 says that the same
 * request fails the same way, 500 and 503 that a retry may work. Every failure is free.
 */
export const PROBLEMS = {
  INVALID_JSON: [400, 'The body is not valid JSON.'],
  UNKNOWN_FIELD: [400, 'The body has a field this call does not know.'],
  MISSING_FIELD: [400, 'A required field is missing.'],
  INVALID_PARAM: [400, 'A field has the wrong type or is out of range.'],
  CONFLICTING_OPTIONS: [400, 'Some options exclude each other.'],
  INVALID_SOURCE: [400, 'A file source takes exactly one of inline, inputKey, text, rows, url or batonId.'],
  INVALID_BASE64: [400, 'The inline content is not valid base64.'],
  INVALID_EVENTS: [400, 'An event name is not known.'],
  INVALID_WORKFLOW_ID: [400, 'The workflow id has a form that is not allowed.'],
  INVALID_IDEMPOTENCY_KEY: [400, 'An Idempotency-Key is 1 to 255 visible ASCII characters.'],
  INVALID_MULTIPART: [400, 'The multipart form is broken or does not fit this call.'],
  BODY_INCOMPLETE: [400, 'The body ended before it was whole.'],
  EMPTY_BODY: [400, 'A body is required.'],
  INVALID_WEBHOOK_SIGNATURE: [400, 'The message is not signed by the one it claims to come from.'],
  X402_NOT_APPLICABLE: [400, 'This call cannot be paid by x402.'],

  UNAUTHENTICATED: [401, 'The credentials are missing, invalid or expired.'],
  MISSING_AUTH: [401, 'This call needs credentials.'],
  INVALID_PAYMENT_SIGNATURE: [401, 'The payment signature does not verify.'],

  PAYMENT_REQUIRED: [402, 'PAYMENT_REQUIRED'],
  INSUFFICIENT_BALANCE: [402, 'The prepaid balance does not cover this call.'],
  UNDERPAID: [402, 'The payment is less than the price.'],

  SIGN_IN_FAILED: [401, 'The signature or the challenge does not hold; ask for a new challenge.'],

  FORBIDDEN: [403, 'The caller may not do this.'],
  ACCOUNT_SUSPENDED: [403, 'The account is suspended.'],
  MODE_DISABLED: [403, 'This mode is switched off here.'],
  CSRF_REJECTED: [403, 'The request does not come from a page of this service.'],
  SPEND_LIMIT_REACHED: [403, 'This key may not spend so much; its owner sets the limits.'],

  NOT_FOUND: [404, 'There is no such thing.'],
  INPUT_NOT_FOUND: [404, 'No input is stored under this key.'],
  PRECONFIG_NOT_FOUND: [404, 'There is no such preconfig.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not take this method.'],

  IDEMPOTENCY_CONFLICT: [409, 'The same Idempotency-Key was used with another request.'],
  IDEMPOTENCY_IN_FLIGHT: [409, 'The first request under this Idempotency-Key is still running.'],
  KEY_NOT_CURRENT: [409, 'This is not a current key of the account.'],
  WALLET_TAKEN: [409, 'The wallet belongs to an account that more than this wallet speaks for.'],
  ACCOUNT_AT_WORK: [409, 'The account of the wallet has jobs or payments under way; try again when they have ended.'],
  JOB_CANCELLED: [409, 'The job was cancelled.'],
  JOB_FINISHED: [409, 'The job has already ended.'],
  ALREADY_WITNESSED: [409, 'The baton is already witnessed.'],
  BATON_NOT_ACTIVE: [409, 'The baton is not active.'],
  CHAIN_NOT_INITIALIZED: [409, 'The chain has no entry yet.'],
  NOT_WITNESSED: [409, 'The baton is not witnessed.'],
  QUOTA_EXHAUSTED: [409, 'The prepaid quota is used up.'],
  BATON_FROZEN: [409, 'The baton is frozen.'],
  CHAINED_OVERWRITE: [409, 'A chained baton cannot be overwritten.'],
  VERSION_CONFLICT: [409, 'The version has moved on.'],

  GONE: [410, 'It has expired or was deleted.'],
  INPUT_GONE: [410, 'The input has expired.'],

  STORED_INPUT_TOO_LARGE: [413, 'The stored input is larger than the limit.', 'INPUT_TOO_LARGE'],
  BODY_TOO_LARGE: [413, 'The request body is larger than the limit.', 'INPUT_TOO_LARGE'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This content type is not accepted here.'],

  INPUT_TOO_LARGE: [422, 'The inline input is larger than the limit; upload it and pass its inputKey.'],
  INPUT_EMPTY: [422, 'The input is empty.'],
  UNSUPPORTED_FORMAT: [422, 'The real type of the input is not one this call takes.'],
  BAD_RANGE: [422, 'A page range is malformed or outside the document.'],
  TOO_MANY_OUTPUTS: [422, 'The call would make more outputs than the limit.'],
  TOO_MANY_INPUTS: [422, 'The call has more inputs than the limit.'],
  TOO_MANY_PAGES: [422, 'The document has more pages than the limit.'],
  TOO_MANY_PIXELS: [422, 'The picture has more pixels than the limit.'],
  OUTPUT_TOO_LARGE: [422, 'The output would be larger than the limit.'],
  PDF_PARSE_FAILED: [422, 'The input cannot be read as a PDF.'],
  PDF_PASSWORD_REQUIRED: [422, 'The PDF needs a password.'],
  PDF_PASSWORD_INCORRECT: [422, 'The password does not open the PDF.'],
  PDF_SIGNED: [422, 'This would break a digital signature; set allowBreakSignatures to do it anyway.'],
  PASSWORD_MISSING: [422, 'Give a userPassword, an ownerPassword or both.'],
  WEAK_PASSWORD: [422, 'Restrictions hold only where the owner has a password of their own.'],
  NOT_ENCRYPTED: [422, 'The document is not encrypted.'],
  INVALID_BOOKMARKS: [422, 'The bookmarks are more or deeper than the limit.'],
  NO_BOOKMARKS: [422, 'The document has no bookmarks to cut at.'],
  FONT_UNAVAILABLE: [422, 'A font that is asked for, or one with these characters, is not here.'],
  METADATA_INVALID: [422, 'A property of the document is not what it may be.'],
  ATTACHMENT_NOT_FOUND: [422, 'The document has no attachment of this name.'],
  ATTACHMENT_EXISTS: [422, 'There is an attachment of this name already; set replace to put it in its place.'],
  NO_FORM: [422, 'The document has no form.'],
  FIELD_NOT_FOUND: [422, 'The form has no field of this name.'],
  FIELD_VALUE_INVALID: [422, 'A field does not take this value.'],
  XFA_UNSUPPORTED: [422, 'The form is a dynamic XFA form, which only its maker can fill.'],
  REDACTION_UNVERIFIED: [422, 'What was to go could still be read afterwards; nothing is given out.'],
  NO_PAGES_LEFT: [422, 'Nothing would be left of the document.'],
  IMAGE_DECODE_FAILED: [422, 'The input cannot be decoded as a picture.'],
  BAD_REGION: [422, 'The region is empty or not inside the picture.'],
  LAYER_TOO_LARGE: [422, 'A layer is far larger than the picture it lies on.'],
  MEDIA_DECODE_FAILED: [422, 'The input cannot be decoded as audio or video.'],
  BASE64_INVALID: [422, 'The text is not valid in this encoding.'],
  JWT_MALFORMED: [422, 'The token is not a well-formed JWT.'],
  KEY_TYPE: [422, 'The key does not fit the algorithm.'],
  KEY_INVALID: [422, 'The key cannot be read.'],
  UUID_INVALID: [422, 'The text is not an identifier of a known kind.'],
  SLUG_EMPTY: [422, 'Nothing is left of the text; give a fallback.'],
  PATCH_INVALID: [422, 'The patch cannot be read.'],
  PATCH_REJECTED: [422, 'Part of the patch does not fit the text.'],
  PATCH_AMBIGUOUS: [422, 'Part of the patch fits in more than one place.'],
  MERGE_CONFLICT: [422, 'Both sides changed the same part.'],
  REGEX_INVALID: [422, 'The pattern cannot be read.'],
  REGEX_UNSUPPORTED: [422, 'The pattern uses what a linear-time engine cannot offer.'],
  TEMPLATE_SYNTAX: [422, 'The template cannot be read.'],
  TEMPLATE_VARIABLE: [422, 'The template uses a variable that is not given.'],
  JSON_PARSE_FAILED: [422, 'The input cannot be read as JSON.'],
  CSV_PARSE_FAILED: [422, 'The input cannot be read as CSV.'],
  RAGGED_ROW: [422, 'A row has more or fewer cells than the header.'],
  NOT_TABULAR: [422, 'The JSON is not a list of rows.'],
  COLUMN_NOT_FOUND: [422, 'There is no such column.'],
  TYPE_MISMATCH: [422, 'A value is not of the type asked for.'],
  TOO_MANY_COLUMNS: [422, 'The table has more columns than the limit.'],
  TOO_MANY_ROWS: [422, 'The table has more rows than the limit.'],
  DUPLICATE_NAME: [422, 'Two files of the archive would have the same name.'],
  INVALID_NAME: [422, 'A name is not one a file of an archive may have.'],
  ARCHIVE_PARSE_FAILED: [422, 'The input cannot be read as an archive.'],
  ARCHIVE_PASSWORD_REQUIRED: [422, 'The archive needs a password.'],
  ARCHIVE_PASSWORD_INCORRECT: [422, 'The password does not open the archive.'],
  ARCHIVE_UNSAFE: [422, 'The archive is made to harm whoever unpacks it.'],
  ENTRY_NOT_FOUND: [422, 'The archive has no such entry.'],
  HTML_PARSE_FAILED: [422, 'The HTML cannot be read.'],
  HTML_RENDER_FAILED: [422, 'The page cannot be drawn.'],
  RESOURCE_FAILED: [422, 'A file that the page asks for was not to be had.'],
  LANGUAGE_UNSUPPORTED: [422, 'A language is not installed here.'],
  SELECTOR_NOT_FOUND: [422, 'Nothing on the page fits the selector.'],
  QR_CAPACITY_EXCEEDED: [422, 'The content does not fit into the code.'],
  QR_UNREADABLE: [422, 'The code that was drawn cannot be read back.'],
  COLOR_INVALID: [422, 'A colour cannot be read.'],
  BARCODE_INVALID: [422, 'The content does not fit the kind of barcode.'],
  BARCODE_CHECKSUM: [422, 'The check digit is wrong.'],
  SYMBOLOGY_UNKNOWN: [422, 'There is no such kind of barcode.'],
  FLAG_DEPENDENCY_UNMET: [422, 'One flag needs another.'],
  IPV6_NOT_SUPPORTED: [422, 'Only IPv4 ranges are supported here.'],
  INVALID_FIELD: [422, 'This field cannot be changed.'],
  INVALID_SHAPE: [422, 'The shape is not one that can be bought.'],
  witness_key_not_configured: [422, 'No witness key is configured.'],
  TIME_LIMIT_EXCEEDED: [422, 'The input is too heavy for the time limit.'],
  MEMORY_LIMIT_EXCEEDED: [422, 'The input is too heavy for the memory limit.'],

  RATE_LIMITED: [429, 'Too many calls; wait and try again.'],

  INTERNAL: [500, 'Something failed on our side; nothing was charged.'],
  HANDOFF_BILLING_NOT_READY: [501, 'Paid handoff is not available yet.'],
  BUSY: [503, 'The service is busy; try again shortly.'],
  PROVIDER_NOT_CONFIGURED: [503, 'What this call needs is not installed or configured here.'],
  PROVIDER_UNAVAILABLE: [503, 'The provider does not answer; try again shortly.'],
  SANDBOX_UNAVAILABLE: [503, 'This machine cannot confine the program this call needs.'],
  STORAGE_FULL: [507, 'The object store is full; nothing was charged.'],
  MCP_DISABLED: [503, 'MCP is switched off here.'],
} as const satisfies Record<string, readonly [status: number, message: string, wireCode?: string]>

export type ProblemCode = keyof typeof PROBLEMS

export type Hints = Record<string, unknown>

/** What crosses threads, processes and tables: an error loses its class on the way, this does not. */
export interface ProblemData {
  code: ProblemCode
  hints: Hints
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly hints: Hints

  constructor(code: ProblemCode, hints: Hints = {}) {
    super(PROBLEMS[code][1])
    this.name = 'Problem'
    this.code = code
    this.hints = hints
  }

  get status(): number {
    return PROBLEMS[this.code][0]
  }

  toData(): ProblemData {
    return { code: this.code, hints: this.hints }
  }

  /** The body on the wire: hints never hide the two fields every caller relies on. */
  toBody(): { error: string; code: string } & Hints {
    return { ...this.hints, error: this.message, code: wireCode(this.code) }
  }

  static from(data: ProblemData): Problem {
    return isProblemCode(data.code) ? new Problem(data.code, data.hints) : new Problem('INTERNAL')
  }
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code)
}

/** Two statuses may share one code on the wire, as `INPUT_TOO_LARGE` does. */
export function wireCode(code: ProblemCode): string {
  const [, , wire] = PROBLEMS[code] as readonly [number, string, string?]
  return wire ?? code
}
