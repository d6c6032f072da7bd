export { type Form, type FormField, readForm, readTyped } from './form.ts'
export { checkReply, type GivenReply } from './reply.ts'
