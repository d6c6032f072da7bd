/** Something about this machine or folder stops the start; the message is one sentence that says what to do. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError'
}
