export { forgetWitnesses } from './records.ts'
