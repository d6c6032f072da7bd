/**
 * Every expected failure: its code, its HTTP status and the message for the caller. 422 means that the same request will
 * fail again, 500 and 503 that a retry may succeed. Failed calls are not charged.
 */
export const PROBLEMS = {
  INVALID_JSON: [400, 'The body is not valid JSON.'],
  UNKNOWN_FIELD: [400, 'The body has a field that this call does not know.'],
  MISSING_FIELD: [400, 'A required field is missing.'],
  INVALID_PARAM: [400, 'A field has the wrong type or is out of range.'],
  CONFLICTING_OPTIONS: [400, 'Some of the options exclude each other.'],
  INVALID_SOURCE: [
    400,
    'A file source takes exactly one of inline, inputKey, text or batonId; url and rows where they are offered.',
  ],
  INVALID_BASE64: [400, 'The inline content is not valid base64.'],
  INVALID_EVENTS: [400, 'An event name is unknown.'],
  INVALID_WORKFLOW_ID: [400, 'The workflow id has an invalid format.'],
  INVALID_IDEMPOTENCY_KEY: [400, 'An Idempotency-Key must be 1 to 255 visible ASCII characters.'],
  INVALID_MULTIPART: [400, 'The multipart form is malformed or does not fit this call.'],
  BODY_INCOMPLETE: [400, 'The body ended early; send the request again.'],
  EMPTY_BODY: [400, 'A body is required.'],
  INVALID_WEBHOOK_SIGNATURE: [400, 'The signature of the message is invalid.'],
  CONNECTION_REFUSED: [400, 'The application has asked for a connection in a way that cannot be accepted.'],
  X402_NOT_APPLICABLE: [400, 'This call cannot be paid by x402.'],

  UNAUTHENTICATED: [401, 'The credentials are missing, invalid or expired.'],
  MISSING_AUTH: [401, 'This call needs credentials.'],
  SIGN_IN_REQUIRED: [401, 'This call is free, but needs a key or a signed-in wallet.', 'MISSING_AUTH'],
  INVALID_PAYMENT_SIGNATURE: [401, 'The payment signature does not verify.'],

  PAYMENT_REQUIRED: [402, 'PAYMENT_REQUIRED'],
  INSUFFICIENT_BALANCE: [402, 'The prepaid balance does not cover this call; add funds.'],
  UNDERPAID: [402, 'The payment is less than the price.'],

  SIGN_IN_FAILED: [401, 'The signature or the challenge is invalid; request a new challenge.'],

  FORBIDDEN: [403, 'The caller is not allowed to do this.'],
  ACCOUNT_SUSPENDED: [403, 'The account is suspended.'],
  MODE_DISABLED: [403, 'This mode is disabled here.'],
  CSRF_REJECTED: [403, 'The request does not come from a page of this service.'],
  INSUFFICIENT_SCOPE: [403, 'The connector was not approved for this; ask its user to approve it.'],
  PIN_REQUIRED: [403, 'The claim needs the PIN of the handoff.'],
  PIN_WRONG: [403, 'The PIN is wrong.'],
  HANDOFF_LOCKED: [403, 'The PIN was wrong too often; ask the owner for a new link.'],
  SPEND_LIMIT_REACHED: [403, 'The spending limit of this key is reached; its owner can raise it.'],

  NOT_FOUND: [404, 'The requested resource does not exist.'],
  INPUT_NOT_FOUND: [404, 'No input is stored under this key.'],
  PRECONFIG_NOT_FOUND: [404, 'The preconfig does not exist.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not accept this method.'],

  IDEMPOTENCY_CONFLICT: [409, 'The same Idempotency-Key was used for another request.'],
  IDEMPOTENCY_IN_FLIGHT: [
    409,
    'The first request with this Idempotency-Key is still running; if its process died, it starts again within 30 seconds.',
  ],
  KEY_NOT_CURRENT: [409, 'This is not a current key of the account.'],
  TOO_MANY_KEYS: [409, 'The account has as many keys as it can have; revoke one first.'],
  TOO_MANY_CONNECTORS: [409, 'The account has as many connectors as it can have; revoke one first.'],
  TOO_MANY_PIPELINES: [409, 'The account has as many versions of pipelines as it can have; delete a pipeline first.'],
  TOO_MANY_WEBHOOKS: [409, 'The account has as many webhooks as it can have; delete one first.'],
  TOO_MANY_TOKENS: [409, 'The baton has as many tokens as it can have, revoked ones included.'],
  WEBHOOK_DISABLED: [409, 'The webhook is disabled; set active to true first.'],
  WALLET_TAKEN: [409, 'The wallet belongs to another account that has its own keys, sign-ins, wallets or debt.'],
  ACCOUNT_AT_WORK: [409, 'The account of the wallet has jobs or payments in progress; try again when they have ended.'],
  JOB_CANCELLED: [409, 'The job was cancelled.'],
  JOB_FINISHED: [409, 'The job has already ended.'],
  ALREADY_WITNESSED: [409, 'The baton is already witnessed.'],
  BATON_NOT_ACTIVE: [409, 'The baton is not active.'],
  BATON_EMPTY: [409, 'The baton holds nothing yet; write to it or upload its file first.'],
  CHAIN_NOT_INITIALIZED: [409, 'The chain has no entry yet.'],
  NOT_WITNESSED: [409, 'The baton is not witnessed.'],
  QUOTA_EXHAUSTED: [409, 'The prepaid quota is used up.'],
  BATON_FROZEN: [409, 'The baton is frozen.'],
  CHAINED_OVERWRITE: [409, 'A chained baton cannot be overwritten.'],
  VERSION_CONFLICT: [409, 'The version has moved on.'],
  DIMENSION_MISMATCH: [409, 'The vectors of this baton have another number of dimensions.'],
  MODEL_MISMATCH: [409, 'The vectors of this baton are of another model than that which embeds texts here.'],
  VECTOR_EXISTS: [409, 'There is a vector with this id already.'],
  ALREADY_CLAIMED: [409, 'The handoff was claimed as often as it may be.'],
  WORKFLOW_ID_IN_USE: [409, 'A checkpoint with this workflow id is live; write to it, or delete it first.'],

  GONE: [410, 'It has expired or was deleted.'],
  INPUT_GONE: [410, 'The input has expired.'],

  STORED_INPUT_TOO_LARGE: [413, 'The stored input is larger than the limit.', 'INPUT_TOO_LARGE'],
  BODY_TOO_LARGE: [413, 'The request body is larger than the limit.', 'INPUT_TOO_LARGE'],
  MAILBOX_FULL: [413, 'The mailbox has no room for this message; its owner can delete messages.'],
  MESSAGE_COUNT_EXCEEDED: [413, 'The mailbox has as many messages as it can hold; its owner can delete some.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This content type is not accepted here.'],

  INPUT_TOO_LARGE: [422, 'The inline input is larger than the limit; upload it and pass its inputKey.'],
  ENTRY_REQUIRED: [422, 'The baton is a log; say by entryRef which of its entries is the input.'],
  INPUT_EMPTY: [422, 'The input is empty.'],
  PRESET_MISMATCH: [422, 'A baton of this preset cannot be used in this way.'],
  VECTOR_INVALID: [422, 'A vector cannot be stored or compared.'],
  FILTER_INVALID: [422, 'The filter cannot be read.'],
  CATEGORY_UNKNOWN: [422, 'There is no category of places with this name; `allowed` lists them.'],
  LOCATION_INVALID: [422, 'A place that is named in the call is not found, or is not where it could be used.'],
  NO_ROUTE: [422, 'There is no way between two of the waypoints.'],
  OUT_OF_COVERAGE: [422, 'A point lies outside of the area that the data cover.'],
  SNAP_TOO_FAR: [422, 'There is no road that can be used near a waypoint.'],
  MODE_UNSUPPORTED: [422, 'This way to travel is not offered here; `modes` lists those that are.'],
  OPTION_UNSUPPORTED: [422, 'The provider that answers here cannot do what an option asks for.'],
  UNSUPPORTED_FORMAT: [422, 'The detected type of the input is not one that this call accepts.'],
  BAD_RANGE: [422, 'A page range is malformed or outside the document.'],
  TOO_MANY_OUTPUTS: [422, 'The call would produce more outputs than the limit.'],
  TOO_MANY_INPUTS: [422, 'The call has more inputs than the limit.'],
  TOO_MANY_PAGES: [422, 'The document has more pages than the limit.'],
  TOO_MANY_PIXELS: [422, 'The image has more pixels than the limit.'],
  IMAGE_TOO_SMALL: [422, 'The image has fewer pixels than the limit.'],
  NO_FACE_FOUND: [422, 'The image has no face that can be found.'],
  OUTPUT_TOO_LARGE: [422, 'The output would be larger than the limit.'],
  PDF_PARSE_FAILED: [422, 'The input cannot be read as a PDF.'],
  PDF_UNREPAIRABLE: [422, 'No page of the document can be recovered.'],
  PDF_PASSWORD_REQUIRED: [422, 'The PDF needs a password.'],
  PDF_PASSWORD_INCORRECT: [422, 'The password does not open the PDF.'],
  PDF_SIGNED: [422, 'This would break a digital signature; set allowBreakSignatures to proceed anyway.'],
  PDFA_NOT_REACHED: [422, 'The document holds something that this level of PDF/A forbids.'],
  CERTIFICATE_INVALID: [422, 'A file has no certificate that can be read.'],
  PASSWORD_MISSING: [422, 'Set userPassword, ownerPassword or both.'],
  WEAK_PASSWORD: [422, 'Restrictions need an ownerPassword that differs from the userPassword.'],
  NOT_ENCRYPTED: [422, 'The document is not encrypted.'],
  INVALID_BOOKMARKS: [422, 'There are too many bookmarks, or they are nested too deeply.'],
  NO_BOOKMARKS: [422, 'The document has no bookmarks to split at.'],
  FONT_UNAVAILABLE: [422, 'The requested font, or a font with these characters, is not installed here.'],
  METADATA_INVALID: [422, 'A metadata property has an invalid name or value.'],
  ATTACHMENT_NOT_FOUND: [422, 'The document has no attachment with this name.'],
  ATTACHMENT_EXISTS: [422, 'The document already has an attachment with this name; set replace to overwrite it.'],
  NO_FORM: [422, 'The document has no form.'],
  FIELD_NOT_FOUND: [422, 'The form has no field with this name.'],
  FIELD_VALUE_INVALID: [422, 'A form field does not accept this value.'],
  XFA_UNSUPPORTED: [422, 'The form is a dynamic XFA form; only the software that created it can fill it.'],
  REDACTION_UNVERIFIED: [422, 'Redacted content could still be read afterwards, so no output is returned.'],
  NO_PAGES_LEFT: [422, 'The document would have no pages left.'],
  IMAGE_DECODE_FAILED: [422, 'The input cannot be decoded as an image.'],
  BAD_REGION: [422, 'The region is empty or not inside the image.'],
  LAYER_TOO_LARGE: [422, 'A layer is far larger than the image under it.'],
  MEDIA_DECODE_FAILED: [422, 'The input cannot be decoded as audio or video.'],
  TOO_LONG: [422, 'The recording is longer than the limit.'],
  NO_VIDEO_STREAM: [422, 'The input has no picture.'],
  NO_AUDIO_STREAM: [422, 'The input has no sound.'],
  NO_SUBTITLE_STREAM: [422, 'The input has no subtitles.'],
  TRACK_NOT_FOUND: [422, 'The input has no such track.'],
  BAD_TIME_RANGE: [422, 'A time is beyond the end of the input, or the end is not after the start.'],
  INCOMPATIBLE_STREAMS: [422, 'These streams cannot be copied into this output; let them be encoded.'],
  SUBTITLE_IS_BITMAP: [422, 'These subtitles are pictures, not text.'],
  SUBTITLE_PARSE_FAILED: [422, 'The input cannot be read as subtitles.'],
  ALL_SILENT: [422, 'Nothing would be left: all of the input is silent.'],
  BASE64_INVALID: [422, 'The text is not valid in this encoding.'],
  JWT_MALFORMED: [422, 'The token is not a well-formed JWT.'],
  KEY_TYPE: [422, 'The type of the key does not fit the algorithm.'],
  KEY_INVALID: [422, 'The key cannot be read.'],
  UUID_INVALID: [422, 'The text is not an identifier of a known kind.'],
  SLUG_EMPTY: [422, 'Nothing is left of the text; set a fallback.'],
  PATCH_INVALID: [422, 'The patch cannot be read.'],
  PATCH_REJECTED: [422, 'Part of the patch does not match the text.'],
  PATCH_AMBIGUOUS: [422, 'Part of the patch matches more than one place.'],
  MERGE_CONFLICT: [422, 'Both sides changed the same part.'],
  REGEX_INVALID: [422, 'The pattern is not valid.'],
  REGEX_UNSUPPORTED: [422, 'The pattern uses a feature that a linear-time engine does not support.'],
  TEMPLATE_SYNTAX: [422, 'The template is not valid.'],
  TEMPLATE_VARIABLE: [422, 'The template uses a variable that is not given.'],
  JSON_PARSE_FAILED: [422, 'The input cannot be read as JSON.'],
  CSV_PARSE_FAILED: [422, 'The input cannot be read as CSV.'],
  RAGGED_ROW: [422, 'A row has more or fewer cells than the header.'],
  NOT_TABULAR: [422, 'The JSON is not a list of rows.'],
  COLUMN_NOT_FOUND: [422, 'The column does not exist.'],
  TYPE_MISMATCH: [422, 'A value is not of the requested type.'],
  TOO_MANY_COLUMNS: [422, 'The table has more columns than the limit.'],
  TOO_MANY_ROWS: [422, 'The table has more rows than the limit.'],
  COLUMN_EXISTS: [422, 'A column with this name already exists.'],
  DUPLICATE_KEY: [422, 'Several rows have the same key.'],
  AGG_TYPE: [422, 'This aggregate cannot be computed over a column of this type.'],
  JOIN_EXPLOSION: [422, 'The join would produce more rows than the limit, because keys repeat on both sides.'],
  JOIN_VALIDATION: [422, 'Keys repeat on a side of the join on which they were to be unique.'],
  SCHEMA_MISMATCH: [422, 'The tables do not have the same columns.'],
  SCHEMA_INVALID: [422, 'The schema or a rule is not valid.'],
  XLSX_PARSE_FAILED: [422, 'The input cannot be read as an XLSX workbook.'],
  XLSX_ENCRYPTED: [422, 'The workbook is encrypted; remove its password first.'],
  SHEET_NOT_FOUND: [422, 'The workbook has no such sheet.'],
  PARQUET_PARSE_FAILED: [422, 'The input cannot be read as Parquet.'],
  EXPRESSION_INVALID: [422, 'An expression cannot be evaluated.'],
  EXPRESSION_FORBIDDEN: [422, 'An expression uses something that is not allowed in expressions.'],
  PIPELINE_INVALID: [422, 'The steps do not fit together.'],
  COST_LIMIT_EXCEEDED: [422, 'The call would cost more than its limit; divide it, or raise `maxMicros`.'],
  STEP_TYPE_MISMATCH: [422, 'A step cannot work on what the step before it makes.'],
  SQL_SYNTAX: [422, 'The SQL cannot be parsed.'],
  SQL_FORBIDDEN: [422, 'The SQL uses something that is not allowed: one SELECT over the given tables is.'],
  SQL_RUNTIME: [422, 'The SQL cannot be run.'],
  DUPLICATE_NAME: [422, 'Two files of the archive would have the same name.'],
  INVALID_NAME: [422, 'A file name is not allowed in an archive.'],
  ARCHIVE_PARSE_FAILED: [422, 'The input cannot be read as an archive.'],
  ARCHIVE_PASSWORD_REQUIRED: [422, 'The archive needs a password.'],
  ARCHIVE_PASSWORD_INCORRECT: [422, 'The password does not open the archive.'],
  ARCHIVE_UNSAFE: [422, 'The archive is unsafe to unpack.'],
  ENTRY_NOT_FOUND: [422, 'The archive has no entry with this name.'],
  OFFICE_PARSE_FAILED: [422, 'The input cannot be read as an office document.'],
  OFFICE_PASSWORD_REQUIRED: [422, 'The document needs a password.'],
  OFFICE_PASSWORD_INCORRECT: [422, 'The password does not open the document.'],
  DOC_PARSE_FAILED: [422, 'The document cannot be read in this format.'],
  DOC_ENCRYPTED: [422, 'The document is encrypted or protected by digital rights management.'],
  ENCODING_INVALID: [422, 'The text is neither UTF-8 nor UTF-16.'],
  CONVERSION_UNSUPPORTED: [422, 'This format is not converted to that one; see GET /v1/doc/formats.'],
  HTML_PARSE_FAILED: [422, 'The HTML cannot be parsed.'],
  HTML_RENDER_FAILED: [422, 'The page cannot be rendered.'],
  RESOURCE_FAILED: [422, 'A file that the page refers to could not be loaded.'],
  ID_NOT_FOUND: [422, 'The page shows no identity document that can be read.'],
  CONTEXT_TOO_LONG: [422, 'The text is longer than the language model or this call accepts.'],
  CONTENT_REFUSED: [422, 'The language model refuses to work on this content.'],
  OUTPUT_INVALID: [422, 'The language model gave no answer that can be used.'],
  LANGUAGE_UNSUPPORTED: [422, 'A language is not installed here.'],
  INVOICE_INVALID: [422, 'The invoice contradicts itself, or lacks what the standard asks for.'],
  CURRENCY_UNKNOWN: [422, 'There is no currency with this code.'],
  MOCK_TYPE_UNKNOWN: [422, 'There is no type of made-up values with this name.'],
  UNIQUE_EXHAUSTED: [422, 'There are not enough different values for this field.'],
  CHART_SPEC_INVALID: [422, 'The chart cannot be drawn from this specification.'],
  CHART_EXTERNAL_DATA: [422, 'A chart is drawn from the data in the call; it loads nothing from elsewhere.'],
  CHART_DATA_EMPTY: [422, 'The chart has no data to show.'],
  NOT_READABLE: [422, 'The page has no text that can be read.'],
  SELECTOR_NOT_FOUND: [422, 'No element on the page matches the selector.'],
  QR_CAPACITY_EXCEEDED: [422, 'The content does not fit into the code.'],
  QR_UNREADABLE: [422, 'The generated code cannot be read back; choose a dark colour on a light one.'],
  COLOR_INVALID: [422, 'A colour is not valid.'],
  BARCODE_INVALID: [422, 'The content is not valid for this kind of barcode.'],
  BARCODE_CHECKSUM: [422, 'The check digit is missing or wrong.'],
  SYMBOLOGY_UNKNOWN: [422, 'This kind of barcode is unknown.'],
  FLAG_DEPENDENCY_UNMET: [422, 'One flag requires another.'],
  IPV6_NOT_SUPPORTED: [422, 'Only IPv4 ranges are supported here.'],
  INVALID_FIELD: [422, 'This field cannot be changed.'],
  INVALID_SHAPE: [422, 'This shape is not offered.'],
  witness_key_not_configured: [422, 'No witness key is configured.'],
  TIME_LIMIT_EXCEEDED: [422, 'Processing the input took longer than the time limit.'],
  MEMORY_LIMIT_EXCEEDED: [422, 'Processing the input needed more memory than the limit.'],

  URL_NOT_ALLOWED: [422, 'This address is not fetched: only http and https addresses of public web servers are.'],
  FETCH_FAILED: [422, 'The file could not be fetched from its address.'],

  HANDOFF_UNSUPPORTED_LEASE: [422, 'Only storage leases can be handed off.'],
  WEBHOOK_URL_REFUSED: [422, 'Webhooks are sent only to https addresses of public web servers.'],

  RATE_LIMITED: [429, 'Too many calls; wait and try again.'],
  INTERNAL: [500, 'An internal error occurred; nothing was charged.'],
  HANDOFF_BILLING_NOT_READY: [501, 'Paid handoff is not available yet.'],
  BUSY: [503, 'The service is busy; try again shortly.'],
  PROVIDER_NOT_CONFIGURED: [503, 'A component that this call needs is not installed or configured here.'],
  PROVIDER_UNAVAILABLE: [503, 'The provider does not answer; try again shortly.'],
  SANDBOX_UNAVAILABLE: [503, 'This machine cannot sandbox the program that this call needs.'],
  STORAGE_FULL: [507, 'The object store is full; nothing was charged.'],
  MCP_DISABLED: [503, 'MCP is disabled here.'],
} as const satisfies Record<string, readonly [status: number, message: string, wireCode?: string]>

export type ProblemCode = keyof typeof PROBLEMS

export type Hints = Record<string, unknown>

/** A Problem as plain data. Errors lose their class when they cross threads, processes or the database. */
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

  /** The response body. Hints cannot overwrite `error` and `code`, on which callers rely. */
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

/** The code on the wire. `INPUT_TOO_LARGE` and `MISSING_AUTH` are shared by two problems. */
export function wireCode(code: ProblemCode): string {
  const [, , wire] = PROBLEMS[code] as readonly [number, string, string?]
  return wire ?? code
}
