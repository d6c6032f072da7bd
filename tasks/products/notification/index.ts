export { renderForOwner } from './render.ts'
