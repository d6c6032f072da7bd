export { renderForOwner, renderMessage } from './render.ts'
