import { createBytes } from '../../support/data/bytes.ts'
import { createSamples, type Sample } from './kinds.ts'

const ROWS = 'id,name,born\n1,Ada,1815-12-10\n2,Bob,\n3,"Cyd, the third",1990-01-01\n'

const tables = {
  'good.csv': () => ROWS,
  'good.tsv': () => ROWS.replaceAll(',', '\t'),
  'semicolons.csv': () => 'id;price\n1;1,5\n2;2.000,75\n',
  'windows-ends.csv': () => ROWS.replaceAll('\n', '\r\n'),
  'old-mac-ends.csv': () => ROWS.replaceAll('\n', '\r'),
  'mixed-ends.csv': () => 'a,b\r1,2\n3,4\r\n5,6',
  'mark.csv': () => `\ufeff${ROWS}`,
  'utf-16le.csv': () => Buffer.from(`\ufeff${ROWS}`, 'utf16le'),
  'utf-16le-no-mark.csv': () => Buffer.from(ROWS, 'utf16le'),
  'utf-16be.csv': () => Buffer.from(`\ufeff${ROWS}`, 'utf16le').swap16(),
  'utf-16-odd.csv': () => Buffer.from(`\ufeff${ROWS}`, 'utf16le').subarray(0, -1),
  'shift-jis.csv': () => Buffer.from('96bc914f2c944e97ee0a8e52936391be98592c33300a', 'hex'),
  'latin-1.csv': () => Buffer.from('name,city\nJosé,Zürich\n', 'latin1'),
  'nuls.csv': () => 'a,b\n1,\0\n\0,2\n',
  'only-nuls.csv': () => Buffer.alloc(5000),
  'quote-unclosed.csv': () => `a,b\n1,"never closed\n${'2,3\n'.repeat(1000)}`,
  'quote-unclosed-long.csv': () => `a,b\n1,"${'x,y\n'.repeat(500_000)}`,
  'quotes-stray.csv': () => 'a,b\n1,x"y"z\n"1"2,3\n"a""b,"c"\n',
  'quotes-only.csv': () => '"'.repeat(100_001),
  'ragged.csv': () => 'a,b,c\n1\n1,2,3,4,5\n\n,,\n',
  'header-twice.csv': () => 'a,a,,a\n1,2,3,4\n',
  'header-only.csv': () => 'a,b,c',
  'newlines-only.csv': () => '\n'.repeat(100_000),
  'commas-only.csv': () => ','.repeat(100_000),
  'columns-1000000.csv': () =>
    `${Array.from({ length: 1_000_000 }, (_, index) => `c${index}`).join(',')}\n${'1,'.repeat(999_999)}1\n`,
  'cell-huge.csv': () => `a,b\n1,${'x'.repeat(8_000_000)}\n`,
  'rows-200000.csv': () => `a,b\n${'1,2\n'.repeat(200_000)}`,
  'formulas.csv': () => 'a,b\n=1+1,@SUM(A1)\n-2,+3\n"\t=x","\r=y"\n',
  'prototype.csv': () => '__proto__,constructor,toString\n1,2,3\n',
  'numbers-odd.csv': () => 'n\n007\n1e999\n-0\nNaN\nInfinity\n99999999999999999999\n0x10\n1_000\n',
  'noise.csv': () => createBytes(50_000),
}

const documents = {
  'rows.json': () => '[{"a":1,"b":"x"},{"a":null,"c":[1,2]}]',
  'rows.ndjson': () => '{"a":1}\n{"a":2,"b":{"c":3}}\n\n{"a":3}\n',
  'rows-broken.ndjson': () => '{"a":1}\n{"a":\n{"a":3}\nnot json\n',
  'rows-of-lists.json': () => '[[1,2],[3,4],[]]',
  'cut.json': () => '[{"a":1},{"a":2',
  'comma-behind.json': () => '[{"a":1,},]',
  'twice.json': () => '[1][2]',
  'names-twice.json': () => '[{"a":1,"a":2}]',
  'prototype.json': () => '[{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}]',
  'numbers-odd.json': () => '[{"a":1e999,"b":-0,"c":123456789012345678901234567890,"d":0.1e-400}]',
  'surrogate.json': () => '[{"a":"\\ud800"}]',
  'mark.json': () => '\ufeff[{"a":1}]',
  'utf-16.json': () => Buffer.from('\ufeff[{"a":1}]', 'utf16le'),
  'deep-lists.json': () => '['.repeat(1_000_000),
  'deep-objects.json': () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'scalar.json': () => '42',
  'empty-list.json': () => '[]',
  'names-many.json': () => `[{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}]`,
  'not-json.json': () => "{a: 'b', c: undefined}",
}

export function buildTableSamples(): Sample[] {
  return [...createSamples('table', tables), ...createSamples('json', documents)]
}
