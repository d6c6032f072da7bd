#!/usr/bin/env node
import { main } from './cli/main.js'
import { Coinop } from './index.js'

process.exitCode = await main(process.argv.slice(2), options => new Coinop(options))
