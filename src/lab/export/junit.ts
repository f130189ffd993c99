import type { Report } from '../../core/index.ts';
import { isRed, type Row, reportRows } from './rows.ts';
import { xmlAttribute, xmlText } from './xml-text.ts';

/**
 * The report as JUnit XML, in the order of elements that Jenkins' schema wants. `failure`: a test failed; `error`:
 * everything else that keeps the report from `passed`, so that a CI server counting failures never sees green where
 * the verdict is not. Facts with no place in the format are `<property>` elements named `assay.*`.
 */
export function toJunit(report: Report): string {
  const rows = reportRows(report);
  const counts = {
    tests: rows.length,
    failures: rows.filter((row) => row.status === 'failed').length,
    errors: rows.filter((row) => isRed(row) && row.status !== 'failed').length,
    skipped: rows.filter((row) => row.status === 'skipped' || row.status === 'xfailed').length,
    time: seconds(report.usage.wallMs),
  };
  const suite = { name: report.framework, ...counts, timestamp: report.startedAt.replace(/(\.\d+)?Z$/, '') };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    open('testsuites', { name: 'assay', ...counts }),
    open('testsuite', suite),
    ...propertiesOf(report),
    ...rows.map(testcase),
    element('system-out', {}, report.output.stdout),
    element('system-err', {}, report.output.stderr),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function propertiesOf(report: Report): string[] {
  const facts = {
    verdict: report.verdict,
    reason: report.reason,
    judge: report.judge,
    expected: report.integrity.expected,
    forgeable: String(report.integrity.forgeable),
    isolation: report.enforcement.isolation,
    network: report.enforcement.network,
  };
  return [
    '<properties>',
    ...Object.entries(facts).map(([name, value]) =>
      element('property', { name: `assay.${name}`, value }, ''),
    ),
    '</properties>',
  ];
}

function testcase(row: Row): string {
  const attributes = {
    classname: row.file,
    name: row.name,
    time: seconds(row.durationMs),
    ...(row.file === '' ? {} : { file: row.file }),
    ...(row.line === null ? {} : { line: row.line }),
  };
  const children = [
    outcome(row),
    row.stdout === '' ? '' : element('system-out', {}, row.stdout),
    row.stderr === '' ? '' : element('system-err', {}, row.stderr),
  ];
  return `${open('testcase', attributes)}${children.join('')}</testcase>`;
}

function outcome(row: Row): string {
  const { type, message, trace } = row.failure ?? { type: '', message: '', trace: '' };
  switch (row.status) {
    case 'passed':
    case 'xpassed':
      return '';
    case 'skipped':
      return element('skipped', { message: row.skipReason ?? '' }, '');
    case 'xfailed':
      return element('skipped', { type: 'xfail', message: row.skipReason ?? message }, '');
    case 'failed':
      return element('failure', { type, message }, trace);
    case 'error':
    case 'missing':
    case 'problem':
    case 'verdict':
      return element('error', { type, message }, trace);
  }
}

type Attributes = Record<string, string | number>;

function element(name: string, attributes: Attributes, text: string): string {
  const tag = open(name, attributes);
  return text === '' ? `${tag.slice(0, -1)}/>` : `${tag}${xmlText(text)}</${name}>`;
}

function open(name: string, attributes: Attributes): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${xmlAttribute(String(value))}"`,
  );
  return `<${name}${written.join('')}>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
