export default function Page() {
  return <a href="/connect">Connect your calendar</a>;
}
