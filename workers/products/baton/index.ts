export { storeFile } from './delivery.ts'
