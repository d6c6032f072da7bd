export { writeHostedUrl } from './link.ts'
export { parseVerificationId } from './schema.ts'
