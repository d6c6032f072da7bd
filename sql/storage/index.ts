export type { StoredContent } from './content.ts'
