/** A model and its manifest do not fit together; the message is for the operator. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault'
}
