export { parseRetryAfter } from './retry-after.ts'
export {
  newWebhookSecret,
  showWebhookSecret,
  signByStandard,
  signMailboxMessage,
  signWithTimestamp,
} from './signature.ts'
