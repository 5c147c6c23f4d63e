import { Form } from "react-router";

export default function SignIn() {
  return (
    <main>
      <h1>Sign in</h1>
      <Form method="post">
        <label>
          Email <input name="email" type="email" />
        </label>
        <label>
          Password <input name="password" type="password" />
        </label>
        <button type="submit">Sign in</button>
      </Form>
    </main>
  );
}
