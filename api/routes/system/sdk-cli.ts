import { route } from '../../route.ts'
import sdkNpm from './sdk-npm.ts'

/** The same package, whose one program `npx` runs. */
export default route({
  ...sdkNpm,
  at: 'GET /cli.tgz',
  summary: 'Get the command line of this service, which `npx` runs by this address.',
  keywords: 'cli, command line, terminal, shell, npx',
  description: 'It is the package of GET /sdk.tgz.',
})
