export { decodeContent } from './content.ts'
export {
  BatonId,
  BatonRef,
  OWNER_AUTH,
  OWNER_READS,
  QuotasReply,
  READER_AUTH,
  USE_ERRORS,
  WRITER_AUTH,
} from './fields/access.ts'
export { ContentEncoding, Words } from './fields/create.ts'
export { CHOICE_FIELDS } from './fields/preset.ts'
export { QUOTED_PRICE } from './rates.ts'
export { resolveBody, specifyBaton } from './specify.ts'
export { Tails } from './tails.ts'
export { isToken } from './tokens.ts'
export { IndexReply, MAX_DIMENSIONS } from './vector-options.ts'
export { identifyAsker, identifyVisitor } from './visitor.ts'
