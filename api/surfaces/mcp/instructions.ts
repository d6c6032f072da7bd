/** What a model is told of this server before it sees a tool. */
export function buildInstructions(): string {
  return [
    'File and data operations, paid per call: PDF, images, OCR, tables, text, codes, archives.',
    'If no listed tool fits, call search_tools with the task in plain words, describe_tool for the fields, and call_tool.',
    'A file (Source) is an object with exactly one of inline (base64, up to 4 MiB), text, inputKey (an outputKey of an earlier result, or from outputs_upload_url for larger files), or batonId (a baton or a token of one, with entryRef for an entry of a log).',
    'deliver: {"batonId"} also puts the output into a baton, deliver: {"new": {...}} into a new one, made with the fields of baton_create.',
    'dryRun: true tells the price and runs nothing; async: true answers with a ticket at once; filename names the output; inlineOutput: never gives links only. Failed calls are free.',
    'Results give files as links or, if small, with their content; pass the outputKey on to the next tool.',
    'A result with a ticket means that the work goes on: call job_get with its id.',
    'A result with PAYMENT_REQUIRED lists what to sign (x402): send the payment as _meta["x402/payment"], or use an API key.',
    'To spend from an account instead, call account_profile: the client then lets its user sign in and approve.',
  ].join(' ')
}
