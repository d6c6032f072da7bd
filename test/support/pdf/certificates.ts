import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CONFIG = `
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
[leaf]
basicConstraints = CA:FALSE
[stamping]
basicConstraints = CA:FALSE
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = authority
[authority]
serial = serial
signer_cert = tsa.pem
certs = root.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
`

/** An authority with a root, and signers below it, made by OpenSSL. */
export class CertificateAuthority {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    writeFileSync(join(folder, 'ca.cnf'), CONFIG)
    this.#createKey('root', ['ed25519'])
    const subject = ['-subj', '/O=Harbour office/CN=Test root', '-days', '30', '-extensions', 'root']
    this.#run(['req', '-x509', '-config', 'ca.cnf', '-key', 'root.key', '-out', 'root.pem', ...subject])
    writeFileSync(join(folder, 'serial'), '01')
  }

  get root(): Buffer {
    return this.read('root.pem')
  }

  /** `algorithm` as OpenSSL's genpkey takes it. */
  issue(name: string, algorithm: readonly string[], { extensions = 'leaf', issuer = 'root' } = {}): void {
    this.#createKey(name, algorithm)
    this.#run([
      'req',
      '-new',
      '-config',
      'ca.cnf',
      '-key',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    ])
    const from = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
    const output = ['-out', `${name}.pem`, '-days', '20', '-extfile', 'ca.cnf', '-extensions', extensions]
    this.#run(['x509', '-req', '-in', `${name}.csr`, ...from, ...output])
  }

  exportPkcs12(name: string, password: string, options: readonly string[] = []): Buffer {
    const files = ['-inkey', `${name}.key`, '-in', `${name}.pem`, '-certfile', 'root.pem', '-out', `${name}.p12`]
    this.#run(['pkcs12', '-export', ...files, '-passout', `pass:${password}`, ...options])
    return this.read(`${name}.p12`)
  }

  /** A reply to a timestamp query, in DER. */
  stamp(query: Buffer): Buffer {
    writeFileSync(join(this.folder, 'query.tsq'), query)
    this.#run([
      'ts',
      '-reply',
      '-config',
      'ca.cnf',
      '-section',
      'authority',
      '-queryfile',
      'query.tsq',
      '-out',
      'reply.tsr',
    ])
    return this.read('reply.tsr')
  }

  /** A detached signature (CMS) over bytes. */
  sign(name: string, bytes: Uint8Array, options: readonly string[] = []): Buffer {
    writeFileSync(join(this.folder, 'signed.bin'), bytes)
    const output = ['-binary', '-outform', 'DER', '-out', 'signature.der', '-md', 'sha256']
    this.#run([
      'cms',
      '-sign',
      '-in',
      'signed.bin',
      '-signer',
      `${name}.pem`,
      '-inkey',
      `${name}.key`,
      ...output,
      ...options,
    ])
    return this.read('signature.der')
  }

  read(file: string): Buffer {
    return readFileSync(join(this.folder, file))
  }

  #createKey(name: string, [algorithm, ...options]: readonly string[]): void {
    this.#run(['genpkey', '-algorithm', algorithm!, ...options, '-out', `${name}.key`])
  }

  #run(args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
}

/** Runs Poppler's own check of the signatures, one line a fact. */
export function runPdfsig(folder: string, file: Uint8Array): string {
  const path = join(folder, 'checked.pdf')
  writeFileSync(path, file)
  return execFileSync('pdfsig', ['-nocert', path], { encoding: 'utf8' })
}
