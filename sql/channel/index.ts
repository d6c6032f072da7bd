export { locateChannel } from './channels.ts'
