/** A file of a list is not what it should be. Its message goes to the operator. */
export class ListFault extends Error {
  override name = 'ListFault'
}
