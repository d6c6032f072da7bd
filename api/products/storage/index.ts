export { setContentHeaders } from './content.ts'
