export { describeContent, setContentHeaders } from './content.ts'
