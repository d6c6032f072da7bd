export { takeUpload, useAfterUpload } from './uploads.ts'
