export { openDocuments } from './documents.ts'
