/** This machine or folder prevents the start; the message is one sentence that says what to do. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError'
}
